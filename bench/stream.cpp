#include "stream.h"

#include <fmt/format.h>

#include "runner.h"

namespace bench::stream {

Result measure(int threads, int repeats, std::int64_t bytes) {
  const std::vector<std::string> text = {"--bytes", std::to_string(bytes)};
  Runner streamed("heed_stream", kName, kSteps, threads, text);
  Runner memory("heed_stream", kMemoryName, kSteps, threads, text);
  for (int turn = 0; turn < repeats; ++turn) {
    streamed.run();
    memory.run();
  }
  Result out{.threads = threads,
             .streamed_ms = streamed.ms(),
             .memory_ms = memory.ms(),
             .peak_mb = streamed.peak_mb(),
             .losses_agree = streamed.first() == memory.first()};
  const auto rate = [](double ms) { return kRows * kLength / ms * 1e3; };
  fmt::print(
      "\n{:<12} {} threads, {:.0f} MB of text: {:.0f} tokens/s streamed, {:.0f} from memory; a "
      "step {:.1f} ms over {:.1f} ms: {:.3f}, at most {:.2f}; {:.0f} MB at the peak, at most "
      "{:.0f}; losses {}: {}\n",
      kName, threads, static_cast<double>(bytes) * 1e-6, rate(out.streamed_ms), rate(out.memory_ms),
      out.streamed_ms, out.memory_ms, out.ratio(), kTarget, out.peak_mb, kMostMb,
      out.losses_agree ? "equal" : "DIFFER", out.met() ? "ok" : "MISSED");
  return out;
}

}  // namespace bench::stream
