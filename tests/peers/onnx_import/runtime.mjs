// runtime.mjs CASES PACKAGES: the graphs that heed's tests ran, on the same inputs, by onnxruntime-node, which lies in
// PACKAGES: results within 1e-5, relative where a number is above 1. One line; exit 1 where one differs. What that program
// does not have (a version of an operator, a dtype) is counted and named.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [cases, packages] = process.argv.slice(2)
const ort = createRequire(`${packages}/`)('onnxruntime-node')
const kinds = { f32: ['float32', Float32Array, Number], f64: ['float64', Float64Array, Number], i64: ['int64', BigInt64Array, BigInt], i32: ['int32', Int32Array, Number], bool: ['bool', Uint8Array, Number] }
const TOLERANCE = 1e-5

function difference(ours, theirs) {
  if (ours.shape.join() !== theirs.dims.join()) throw new Error(`a result is [${theirs.dims}], not [${ours.shape}]`)
  let most = 0
  for (let i = 0; i < ours.data.length; ++i) {
    const a = Number(ours.data[i]), b = Number(theirs.data[i])
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue
    const apart = Math.abs(a - b) / Math.max(1, Math.abs(b))
    most = Math.max(most, Number.isNaN(apart) ? Infinity : apart)
  }
  return most
}

const tally = { run: 0, operators: new Set(), most: 0, failed: 0, missing: new Map() }
for (const file of readdirSync(cases).filter((name) => name.endsWith('.onnx')).sort()) {
  const name = file.slice(0, -5), operator = name.replace(/_\d+$/, '')
  const { inputs, outputs } = JSON.parse(readFileSync(`${cases}/${name}.json`, 'utf8'))
  try {
    const session = await ort.InferenceSession.create(`${cases}/${file}`, { logSeverityLevel: 4, intraOpNumThreads: 1 })
    const feeds = {}
    for (const { name: input, type, shape, data } of inputs) {
      if (!session.inputNames.includes(input)) continue // what no result needs
      const [kind, Numbers, number] = kinds[type]
      feeds[input] = new ort.Tensor(kind, Numbers.from(data.map(number)), shape)
    }
    const results = await session.run(feeds)
    const most = Math.max(...outputs.map((each) => difference(each, results[each.name])))
    ++tally.run
    tally.operators.add(operator)
    tally.most = Math.max(tally.most, most)
    if (!(most <= TOLERANCE)) {
      ++tally.failed
      console.log(`  ${name} differs by ${most}`)
    }
  } catch (error) {
    const text = String(error.message ?? error).split('\n')[0]
    if (/NOT_IMPLEMENTED|layout == 1\) are not supported|Could not find an implementation|not a registered function\/op|opset/i.test(text)) {
      tally.missing.set(operator, (tally.missing.get(operator) ?? 0) + 1)
    } else {
      ++tally.failed
      console.log(`  ${name}: ${text.slice(0, 300)}`)
    }
  }
}
const missing = [...tally.missing].map(([operator, count]) => `${operator} ${count}`).join(', ')
console.log(`${'onnx_runtime'.padEnd(12)} ${tally.run} graphs of ${tally.operators.size} operators and models by onnxruntime-node differ by ${tally.most.toExponential(1)} at most` +
  (missing ? `; not there: ${missing}` : '') + (tally.failed || !tally.run ? `: ${tally.failed} FAILED` : ''))
process.exit(tally.failed || !tally.run ? 1 : 0)
