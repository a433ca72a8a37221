// compare.mjs FOLDER PACKAGES: every model that stands in FOLDER as NAME.onnx with inputs and outputs beside it
// (NAME.json) is run by onnxruntime-node, which lies in PACKAGES. One line a model: the largest difference, relative where
// a number is above 1. Exit 1 where one is above the model's tolerance.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [folder, packages] = process.argv.slice(2)
const ort = createRequire(`${packages}/`)('onnxruntime-node')
const kinds = { f32: ['float32', Float32Array], f64: ['float64', Float64Array], i64: ['int64', BigInt64Array], bool: ['bool', Uint8Array] }

function tensor({ type, shape, data }) {
  const [name, Numbers] = kinds[type]
  const numbers = type === 'i64' ? data.map((x) => BigInt(x)) : data.map(Number)
  return new ort.Tensor(name, Numbers.from(numbers), shape)
}

function difference(ours, theirs) {
  if (ours.shape.join() !== theirs.dims.join()) throw new Error(`a result is [${theirs.dims}], not [${ours.shape}]`)
  let most = 0
  for (let i = 0; i < ours.data.length; ++i) {
    const a = Number(ours.data[i] === 'inf' ? Infinity : ours.data[i] === '-inf' ? -Infinity : ours.data[i]), b = Number(theirs.data[i])
    if (a === b) continue
    if (Number.isNaN(a) && Number.isNaN(b)) continue
    const apart = Math.abs(a - b) / Math.max(1, Math.abs(a))
    most = Number.isNaN(apart) ? Infinity : Math.max(most, apart)
  }
  return most
}

let failed = 0, count = 0
for (const file of readdirSync(folder).filter((name) => name.endsWith('.onnx')).sort()) {
  const name = file.slice(0, -5)
  const { tolerance, runs } = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))
  let text, good = false
  try {
    const session = await ort.InferenceSession.create(`${folder}/${file}`, { logSeverityLevel: 3, intraOpNumThreads: 1 })
    const most = []
    for (const { inputs, outputs } of runs) {
      // What no result needs is no input of the session.
      const feeds = Object.fromEntries(inputs.filter((x) => session.inputNames.includes(x.name)).map((x) => [x.name, tensor(x)]))
      const results = await session.run(feeds)
      most.push(Math.max(...session.outputNames.map((output, i) => difference(outputs[i], results[output]))))
    }
    good = most.every((x) => x <= tolerance)
    text = most.map((x) => x.toExponential(1)).join(' and ')
  } catch (error) {
    text = String(error.message).split('\n')[0]
  }
  ++count
  if (!good) ++failed
  console.log(`onnx         ${name.padEnd(40)} ${good ? 'equal within' : 'FAILED:'} ${text}`)
}
console.log(`onnx         ${count - failed} of ${count} models equal, onnxruntime ${createRequire(`${packages}/`)('onnxruntime-node/package.json').version}`)
process.exit(failed ? 1 : 0)
