// Texts to compare tokenizers on, 10,000 lines of each kind, from the folder of data sets and the project's own code.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const count = 10000
const symbols = ['😀', '👩‍👩‍👧', '🇩🇪', '❤️', '👍🏽', '🤷‍♂️', 'e\u0301', 'ﬁ', '①', '\u00a0', '\u3000', 'Å', 'ß', 'İ', '가',
  '\u1100\u1161', 'नमस्ते', 'สวัสดี', '\u200b', '\ufeff', '½', 'Ⅷ', 'ＡＢ', '\t', '  ', '٣', 'ǅ', '\u0000', '\u0085', '\u2028', '𝔘', '𠀀']

// Numbers below n, the same every time.
let state = 12345
function below(n) {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0
  return (state >>> 8) % n
}

function rows(data, file, from = 0) {
  const text = gunzipSync(readFileSync(join(data, file))).toString()
  return text.split('\n').filter((row) => row).map((row) => row.split('\t').slice(from).join(' '))
}

function code(folder) {
  const lines = []
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    if (/\.(cpp|h)$/.test(name)) lines.push(...readFileSync(join(folder, name), 'utf8').split('\n'))
  }
  return lines
}

export function texts(data) {
  const english = [...rows(data, 'imdb/train_5k.tsv.gz', 1).slice(0, 4000), ...rows(data, 'multi30k/train.lc.norm.tok.en.gz')]
  const german = rows(data, 'multi30k/train.lc.norm.tok.de.gz')
  const chinese = rows(data, 'online_shopping/reviews.tsv.gz', 1)
  const all = [english, german, chinese].map((lines) => lines.slice(0, 3000)).flat()
  const mixed = Array.from({ length: count }, () => {
    const words = all[below(all.length)].split(' ').slice(0, 12)
    for (let i = 0; i < 4; ++i) words.splice(below(words.length + 1), 0, symbols[below(symbols.length)] + symbols[below(symbols.length)])
    return words.join(below(5) ? ' ' : '  ')
  })
  const broken = Array.from({ length: count }, () => {
    const bytes = [...Buffer.from(all[below(all.length)]).subarray(0, 200)]
    for (let i = 0; i < 3; ++i) bytes.splice(below(bytes.length + 1), below(3), ...(below(2) ? [128 + below(128)] : []))
    return Buffer.from(bytes.filter((byte) => byte !== 10))
  })
  const kinds = { english, german, chinese, code: code('.'), emoji: mixed, broken }
  return Object.fromEntries(Object.entries(kinds).map(([name, lines]) => {
    const rows = lines.slice(0, count).map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\n')]))
    return [name, Buffer.concat(rows)]
  }))
}
