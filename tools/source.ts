// A TypeScript source as tidy reads it: its code with comments, strings and patterns blanked out, so that a rule about
// calls never fires on a word in a sentence, and with every character still on its own line.
//
// This is no parser. It knows where text begins and ends; a `/` opens a pattern where a value could stand.

export interface Import {
  readonly from: string
  readonly line: number
}

export interface Source {
  /** path from the root of the repository, with `/` */
  readonly path: string
  readonly text: string
  /** same length as `text`; what is not code is spaces, quotes stay */
  readonly code: string
  /** same length as `text`; what is not a comment is spaces */
  readonly comments: string
  readonly imports: readonly Import[]
}

export function readSource(path: string, text: string): Source {
  const code = text.split('')
  const comments: string[] = text.split('').map(c => (c === '\n' ? c : ' '))
  const blank = (from: number, to: number) => {
    for (let k = from; k < to; k++) if (code[k] !== '\n') code[k] = ' '
  }
  // Each open `${` remembers how deep in braces it stands, so that its `}` takes us back into the template.
  const templates: number[] = []
  let depth = 0
  let i = 0

  const template = () => {
    const from = i
    while (i < text.length && text[i] !== '`') {
      if (text[i] === '\\') i++
      else if (text.startsWith('${', i)) {
        blank(from, i)
        templates.push(depth)
        i += 2
        return
      }
      i++
    }
    blank(from, i)
    i++
  }

  while (i < text.length) {
    const c = text[i]
    const from = i
    if (text.startsWith('//', i) || text.startsWith('/*', i) || text.startsWith('#!', i)) {
      const end = text.startsWith('/*', i) ? text.indexOf('*/', i) + 2 : text.indexOf('\n', i)
      i = end <= 1 ? text.length : end
      for (let k = from; k < i; k++) comments[k] = text[k] as string
      blank(from, i)
    } else if (c === "'" || c === '"' || (c === '/' && valueMayStand(code, i))) {
      i = endOfLiteral(text, i)
      blank(from + 1, i - 1)
    } else {
      i++
      if (c === '`') template()
      else if (c === '{') depth++
      else if (c === '}') {
        if (templates.length > 0 && templates.at(-1) === depth) {
          templates.pop()
          template()
        } else depth--
      }
    }
  }
  const blanked = code.join('')
  return { path, text, code: blanked, comments: comments.join(''), imports: importsIn(text, blanked) }
}

export function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** The arguments of the call whose `(` stands at `open`, as slices of `code`. */
export function argumentsAt(code: string, open: number): string[] {
  const found: string[] = []
  let depth = 0
  let from = open + 1
  for (let k = open; k < code.length; k++) {
    const c = code[k] as string
    if ('([{'.includes(c)) depth++
    else if (')]}'.includes(c)) depth--
    if (depth === 0 || (depth === 1 && c === ',')) {
      const argument = code.slice(from, k).trim()
      if (argument) found.push(argument)
      from = k + 1
    }
    if (depth === 0) break
  }
  return found
}

function endOfLiteral(text: string, start: number): number {
  const quote = text[start]
  let inClass = false
  for (let k = start + 1; k < text.length; k++) {
    const c = text[k]
    if (c === '\\') k++
    else if (c === '\n') return k
    else if (quote === '/' && c === '[') inClass = true
    else if (quote === '/' && c === ']') inClass = false
    else if (c === quote && !inClass) return k + 1
  }
  return text.length
}

function valueMayStand(code: readonly string[], at: number): boolean {
  let k = at - 1
  while (k >= 0 && /\s/.test(code[k] as string)) k--
  if (k < 0) return true
  if (/[\w$]/.test(code[k] as string)) {
    const before = code.slice(Math.max(0, k - 7), k + 1).join('')
    return /(?:^|[^.\w$])(return|case|typeof|in|of)$/.test(before)
  }
  return !')]}\'"`/'.includes(code[k] as string)
}

function importsIn(text: string, code: string): Import[] {
  const found: Import[] = []
  // The words are looked for in code, the name between the quotes is read from the text.
  for (const match of code.matchAll(/(?:\bfrom|\bimport\s*\(?|\brequire\s*\()\s*(['"]) *\1/g)) {
    const end = match.index + match[0].length - 1
    const start = match.index + match[0].indexOf(match[1] as string)
    found.push({ from: text.slice(start + 1, end), line: lineAt(text, match.index) })
  }
  return found
}
