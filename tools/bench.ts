// A bench: one file in tools/bench that exports `bench`. Its name is the file's name.

export interface Measured {
  readonly name: string
  readonly title: string
  readonly rows: readonly Readonly<Record<string, string | number>>[]
  readonly notes?: readonly string[]
  /** what `--json` prints instead of the rows, where its shape is promised to programs */
  readonly scenarios?: unknown
  /** file name → SVG, for `--plot` */
  readonly plots?: Readonly<Record<string, string>>
  /** why nothing was measured: this machine lacks something */
  readonly skipped?: string
}

export interface BenchOptions {
  readonly json: boolean
  readonly quick?: boolean | undefined
  /** for `verify` alone: sizes, where years are kept, and which ones */
  readonly entries?: string | undefined
  readonly dir?: string | undefined
  readonly seed?: string | undefined
}

export type Bench = (options: BenchOptions) => Promise<Measured>
