// Config of an optical counter above a gate.

/** Where in somebody's JSON a value stands: names and indices, as in ["data", 0, "in"]. */
export type JsonPath = readonly (string | number)[]

/** How to read a payload that nobody shipped a reader for. */
export interface JsonMap {
  readonly in: JsonPath
  readonly out: JsonPath
  /** a name of the device, where one address tells of several */
  readonly device?: JsonPath
  /** a number or text that is another one in every message */
  readonly id?: JsonPath
  /** cumulative since some time, or people of one interval each */
  readonly counts: 'cumulative' | 'interval'
}

export type OpticalFormat = 'axis' | 'axis-3d' | 'xovis' | 'milesight' | 'json'

export interface OpticalConfig {
  readonly name: string
  readonly format: OpticalFormat
  /** asked every `everyMs`; without it the device pushes to the gate's own address */
  readonly pull?: { readonly url: string; readonly everyMs: number; readonly timeoutMs: number }
  /** of Xovis: which of its counters are in and out */
  readonly counterIds?: { readonly in: readonly number[]; readonly out: readonly number[] }
  readonly map?: JsonMap
  /** the device was mounted the other way round */
  readonly isSwapped: boolean
  /** not heard for longer, it is silent; by itself three questions, or five minutes where it pushes */
  readonly silentMs?: number
  /** between lens and arm, or between lens and a guard's hand that counts; ten seconds by itself */
  readonly walkMs?: number
  /** false: compared and told, and nobody costs a token because of it; for a counter that is not calibrated yet */
  readonly judges?: boolean
}
