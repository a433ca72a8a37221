// run.mjs PACKAGES --row ROW --threads N --steps K --file MODEL: the other side of bench/heed_ort.cpp, by
// onnxruntime-node, which lies in PACKAGES; see bench/protocol.h for what it answers.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const [packages, ...rest] = process.argv.slice(2)
const options = Object.fromEntries(rest.flatMap((x, i) => (i % 2 ? [] : [[x.slice(2), rest[i + 1]]])))
const ort = createRequire(`${packages}/`)('onnxruntime-node')
const threads = Number(options.threads), steps = Number(options.steps)
const session = await ort.InferenceSession.create(options.file, {
  intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all', logSeverityLevel: 3,
})

// The numbers of bench/workload.h.
function fill(count, seed, bound) {
  const mask = (1n << 64n) - 1n
  let state = (BigInt(seed) * 0x9e3779b97f4a7c15n + 1n) & mask
  const next = () => Number((state = (state * 6364136223846793005n + 1442695040888963407n) & mask) >> 32n)
  next()
  return Float32Array.from({ length: count }, () => Math.fround(Math.fround(Math.fround((next() >>> 8) * 2 ** -23) - 1) * bound))
}
const square_mean = (numbers) => numbers.reduce((sum, x) => sum + x * x, 0) / numbers.length

const rows = {
  async ort_encoder() {
    const x = new ort.Tensor('float32', fill(8 * 256 * 512, 1001, 1), [8, 256, 512])
    return async () => square_mean((await session.run({ x })).output.data)
  },
  async ort_decode() {
    const layers = 6, heads = 8, width = 512, context = 512
    const first = new ort.Tensor('float32', fill(width, 1001, 1), [1, 1, width])
    const none = new ort.Tensor('float32', new Float32Array(0), [1, heads, 0, width / heads])
    const names = Array.from({ length: layers }, (_, i) => [`keys${i}`, `values${i}`]).flat()
    return async () => {
      let feeds = Object.fromEntries([['x', first], ...names.map((name) => [name, none])])
      for (let t = 0; t < context; ++t) {
        const out = await session.run(feeds)
        feeds = Object.fromEntries([['x', out.y], ...names.map((name) => [name, out[`${name}_after`]])])
      }
      return square_mean(feeds.x.data)
    }
  },
}

const step = await rows[options.row]()
for (let i = 0; i < (options.row === 'ort_decode' ? 1 : 3); ++i) await step()
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'run') {
    let loss = 0
    const begin = performance.now()
    for (let i = 0; i < steps; ++i) loss = await step()
    console.log(JSON.stringify({ ms: (performance.now() - begin) / steps, loss, gradients: 0 }))
  } else if (line === 'quit') {
    console.log(JSON.stringify({ peak_mb: process.resourceUsage().maxRSS / 1024 }))
    process.exit(0)
  }
}
