// Admissions: those that may still be taken back, oldest first, as bytes. Millions pass through, and hardly any is taken
// back: remembering must cost nothing, looking one up may.

const ID_BYTES = 36
const FIRST_ROOM = 256

export class Admissions {
  readonly #max: number
  /** a ring of ids, and of the entries they are in */
  #ids = Buffer.allocUnsafe(FIRST_ROOM * ID_BYTES)
  #seqs = new Float64Array(FIRST_ROOM)
  #first = 0
  #count = 0

  /** An admission stays for `max` entries. */
  constructor(max: number) {
    this.#max = max
  }

  add(id: string, seq: number): void {
    while (this.#count > 0 && seq - (this.#seqs[this.#first] as number) > this.#max) this.#drop()
    if (this.#count === this.#seqs.length) this.#grow()
    const place = (this.#first + this.#count) % this.#seqs.length
    this.#ids.write(id, place * ID_BYTES, 'latin1')
    this.#seqs[place] = seq
    this.#count++
  }

  /** Takes it back; false where it is not there, or was too long before entry `seq`. */
  take(id: string, seq: number): boolean {
    const wanted = Buffer.from(id, 'latin1')
    for (let i = this.#ids.indexOf(wanted); i >= 0; i = this.#ids.indexOf(wanted, i + 1)) {
      const place = i / ID_BYTES
      if (!Number.isInteger(place) || !this.#isHeld(place)) continue
      this.#ids.fill(0, i, i + ID_BYTES)
      return seq - (this.#seqs[place] as number) <= this.#max
    }
    return false
  }

  #isHeld(place: number): boolean {
    const { length } = this.#seqs
    return (place - this.#first + length) % length < this.#count
  }

  #drop(): void {
    this.#first = (this.#first + 1) % this.#seqs.length
    this.#count--
  }

  #grow(): void {
    const { length } = this.#seqs
    const ids = Buffer.allocUnsafe(length * 2 * ID_BYTES)
    const seqs = new Float64Array(length * 2)
    const split = this.#first * ID_BYTES
    this.#ids.copy(ids, 0, split)
    this.#ids.copy(ids, length * ID_BYTES - split, 0, split)
    for (let i = 0; i < length; i++) seqs[i] = this.#seqs[(this.#first + i) % length] as number
    this.#ids = ids
    this.#seqs = seqs
    this.#first = 0
  }
}
