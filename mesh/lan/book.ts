// Book: where each member was last known to be.
//
// Law: what a member says of itself replaces what it said before: after a restart it is not where it was. What others
// say of it only fills a gap, and what the config says always stays as the last resort.

import { isLoopback, type Place, placeText } from './place.ts'

const PLACES_MAX = 4

interface Entry {
  own: readonly Place[]
  told: readonly Place[]
}

export class Book {
  readonly #fixed: ReadonlyMap<string, readonly Place[]>
  readonly #entries = new Map<string, Entry>()
  readonly #news = new Set<string>()

  constructor(fixed: ReadonlyMap<string, readonly Place[]>) {
    this.#fixed = fixed
  }

  /** From the member itself, by multicast or over a connection. True when that is news. */
  sawItself(name: string, places: readonly Place[]): boolean {
    const entry = this.#entry(name)
    const own = places.slice(0, PLACES_MAX)
    if (textOf(own) === textOf(entry.own)) return false
    entry.own = own
    this.#news.add(name)
    return true
  }

  /** From somebody else. True when we knew of no such place. */
  wasTold(name: string, places: readonly Place[]): boolean {
    const known = new Set(this.places(name).map(placeText))
    const news = places.slice(0, PLACES_MAX).filter(place => !known.has(placeText(place)))
    if (news.length === 0) return false
    this.#entry(name).told = news
    return true
  }

  /** All the places that a peer knows of, its own among them. Returns whom it is worth calling now. */
  heard(from: string, all: ReadonlyMap<string, readonly Place[]>, isOnThisMachine: boolean): string[] {
    const worth: string[] = []
    for (const [name, places] of all) {
      // its loopback is not ours
      const usable = isOnThisMachine ? places : places.filter(place => !isLoopback(place))
      if (usable.length === 0) continue
      if (name === from) this.sawItself(name, usable)
      else if (!this.wasTold(name, usable)) continue
      worth.push(name)
    }
    return worth
  }

  /** Where these members are, as far as that is known. */
  all(names: Iterable<string>): Map<string, readonly Place[]> {
    const known = [...names].map(name => [name, this.places(name)] as const)
    return new Map(known.filter(([, places]) => places.length > 0))
  }

  /** Those who were found elsewhere than before, since this was last asked. */
  takeNews(): Map<string, readonly Place[]> {
    const news = this.all(this.#news)
    this.#news.clear()
    return news
  }

  /** Best first. */
  places(name: string): readonly Place[] {
    const { own, told } = this.#entries.get(name) ?? { own: [], told: [] }
    const all = [...own, ...told, ...(this.#fixed.get(name) ?? [])]
    return [...new Map(all.map(place => [placeText(place), place])).values()].slice(0, 2 * PLACES_MAX)
  }

  #entry(name: string): Entry {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const entry: Entry = { own: [], told: [] }
    this.#entries.set(name, entry)
    return entry
  }
}

function textOf(places: readonly Place[]): string {
  return places.map(placeText).sort().join(' ')
}
