// A bench: one file in tools/bench that exports `bench`. Its name is the file's name.

export interface Measured {
  readonly name: string
  readonly title: string
  readonly rows: readonly Readonly<Record<string, string | number>>[]
  readonly notes?: readonly string[]
  /** what `--json` prints instead of the rows, where its shape is promised to programs */
  readonly scenarios?: unknown
}

export type Bench = (options: { readonly json: boolean; readonly quick?: boolean }) => Promise<Measured>
