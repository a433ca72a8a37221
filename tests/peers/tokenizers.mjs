// tokenizers.mjs PROGRAM DATA FOLDER: tokenizers learned by heed, on texts of six kinds, token for token against the
// packages `tokenizers` and, where that one knows too old a Unicode, `@huggingface/tokenizers`, which lie in FOLDER; and
// the time against the first, one thread each. One line a tokenizer; exit 1 where a token or a decoded text differs.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { texts } from './texts.mjs'

process.env.RAYON_NUM_THREADS = '1'
const [program, data, folder] = process.argv.slice(2)
const require = createRequire(`${folder}/`)
const { Tokenizer } = require('tokenizers')
const second = require('@huggingface/tokenizers')

const kinds = texts(data)
for (const [name, text] of Object.entries(kinds)) writeFileSync(`${folder}/${name}.txt`, text)
// To learn from: 2,000 lines of each kind but the broken one.
const some = (text) => text.toString().split('\n').slice(-2001, -1).filter((line) => line.length < 1000)
writeFileSync(`${folder}/learn.txt`, Object.entries(kinds).flatMap(([name, text]) => (name === 'broken' ? [] : some(text))).join('\n'))

function linesOf(bytes) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true }) // what is no UTF-8 becomes U+FFFD
  const lines = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at)
    lines.push(decoder.decode(bytes.subarray(at, end)))
    at = end + 1
  }
  return lines
}
const same = (a, b) => a.length === b.length && a.every((each, i) => each === b[i])

let failed = false
for (const kind of ['byte_level', 'byte_fallback', 'word_piece', 'unigram', 'bpe']) {
  const path = `${folder}/${kind}.json`
  execFileSync(program, ['train', kind, '8000', `${folder}/learn.txt`, path])
  const json = readFileSync(path, 'utf8')
  const peer = Tokenizer.fromString(json)
  let newer // made where it is asked
  const tally = { lines: 0, tokens: 0, newer: 0, wrong: 0, places: 0, decoded: 0, ours: 0, theirs: 0 }
  for (const [name, bytes] of Object.entries(kinds)) {
    const lines = linesOf(bytes)
    const ours = execFileSync(program, ['encode', path, `${folder}/${name}.txt`], { maxBuffer: 1 << 30 }).toString().trimEnd().split('\n')
    tally.ours += Number(ours.pop())
    for (const [i, line] of lines.entries()) {
      const own = JSON.parse(ours[i])
      const theirs = await peer.encode(line)
      const ids = theirs.getIds()
      ++tally.lines
      tally.tokens += ids.length
      if (!same(ids, own.ids)) {
        newer ??= new second.Tokenizer(JSON.parse(json), {})
        if (same(newer.encode(line).ids, own.ids)) ++tally.newer
        else if (++tally.wrong <= 3) console.log(`  ${kind}, ${name}, line ${i}: ${own.ids} but ${ids}`)
        continue
      }
      if (await peer.decode(ids, true) === own.text) ++tally.decoded
      // Theirs count characters, ours bytes; in a line that was mended these differ.
      if (name === 'broken') {
        ++tally.places
        continue
      }
      const at = [0]
      for (const letter of line) at.push(at.at(-1) + Buffer.byteLength(letter))
      if (theirs.getOffsets().every(([begin, end], k) => at[begin] === own.offsets[k][0] && at[end] === own.offsets[k][1])) ++tally.places
    }
    let best = Infinity
    for (let i = 0; i < 3; ++i) {
      const begin = process.hrtime.bigint()
      await peer.encodeBatch(lines)
      best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1e9)
    }
    tally.theirs += best
  }
  const right = tally.lines - tally.newer - tally.wrong
  const ok = tally.wrong === 0 && tally.decoded === right && tally.ours <= tally.theirs
  failed ||= !ok
  console.log(`${'tokenizers'.padEnd(12)} ${kind}: ${right + tally.newer} of ${tally.lines} lines (${tally.tokens} tokens) are equal, ${tally.newer} of them to the second package only; ` +
    `${tally.decoded} decode so, ${tally.places} have the same places; ${tally.ours.toFixed(2)} s against ${tally.theirs.toFixed(2)}, ratio ${(tally.ours / tally.theirs).toFixed(2)}${ok ? '' : ': FAILED'}`)
}
process.exit(failed ? 1 : 0)
