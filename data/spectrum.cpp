#include "spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "../core/error.h"

#ifdef HEED_SOUND
#include <kiss_fftr.h>
#endif

namespace heed::data {

constexpr Index kLargest = Index{1} << 20;

Index frames_of(Index samples, const FrameOptions& options) {
  if (options.length < 1 || options.hop < 1 || options.size < options.length ||
      options.size > kLargest || options.hop > kLargest || options.size % 2 != 0) {
    throw ValueError(
        fmt::format("power_spectrum: length {} and hop {} must be positive, size {} even, at least "
                    "the length and at most {}",
                    options.length, options.hop, options.size, kLargest));
  }
  if (samples < 1) throw ValueError("power_spectrum: no samples");
  const Index behind = std::max<Index>(0, samples - options.length);
  return 1 + (behind + options.hop - 1) / options.hop;
}

#ifdef HEED_SOUND

Array power_spectrum(const std::vector<float>& samples, const FrameOptions& options) {
  const auto count = static_cast<Index>(samples.size());
  const Index frames = frames_of(count, options), bins = options.size / 2 + 1;
  const std::unique_ptr<kiss_fftr_state, void (*)(void*)> plan(
      kiss_fftr_alloc(static_cast<int>(options.size), 0, nullptr, nullptr), &kiss_fftr_free);
  if (!plan) throw OutOfMemory("power_spectrum: no memory for the transform");
  std::vector<float> window(static_cast<std::size_t>(options.length));
  for (std::size_t i = 0; i < window.size(); ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i);
    window[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(turn / static_cast<double>(options.length)));
  }
  std::vector<float> frame(static_cast<std::size_t>(options.size));
  std::vector<kiss_fft_cpx> transform(static_cast<std::size_t>(bins));
  Array out = Array::empty({frames, bins}, DType::f32);
  float* to = out.mutable_data<float>();
  for (Index t = 0; t < frames; ++t) {
    const Index first = t * options.hop;
    // A hop longer than a frame may leave the last one behind all samples.
    const auto inside =
        static_cast<std::size_t>(std::clamp<Index>(count - first, 0, options.length));
    for (std::size_t i = 0; i < window.size(); ++i) {
      frame[i] = i < inside ? window[i] * samples[static_cast<std::size_t>(first) + i] : 0;
    }
    kiss_fftr(plan.get(), frame.data(), transform.data());
    for (const kiss_fft_cpx& each : transform) *to++ = each.r * each.r + each.i * each.i;
  }
  return out;
}

#else

Array power_spectrum(const std::vector<float>& samples, const FrameOptions& options) {
  frames_of(static_cast<Index>(samples.size()), options);
  throw ValueError("power_spectrum: this program was built without KissFFT");
}

#endif

}  // namespace heed::data
