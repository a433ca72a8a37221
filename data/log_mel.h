// Log-mel features, what recognisers of speech read: the power spectrum summed by triangles that
// stand evenly on the mel scale, its log, and how that changes.
//
//   mel(f) = 2595 log10(1 + f / 700)
//   e_tm = log max(floor, sum_k P_tk max(0, 1 - |mel(f_k) - c_m| / d)),  f_k = k rate / size
//   c_m = mel(lowest) + m d, m = 1 .. filters,  d = (mel(highest) - mel(lowest)) / (filters + 1)
//   delta_t = sum_{n = 1, 2} n (e_{t+n} - e_{t-n}) / 10     (the first and last row go on for ever)
//
// Davis and Mermelstein 1980; deltas by Furui 1986. It is in heed::sound, as wav.h.
#pragma once

#include <vector>

#include "spectrum.h"

namespace heed::data {

struct LogMelOptions {
  Index rate = 8000;         ///< of the sound
  FrameOptions frames = {};  ///< 25 ms, every 10 ms, at 8,000 samples a second
  Index filters = 40;
  double lowest = 60;   ///< Hz
  double highest = 0;   ///< Hz; 0: half the rate
  double floor = 1e-5;  ///< of a filter's sum
  bool deltas = true;
};

class LogMel {
 public:
  /// Throws ValueError for numbers that make no sense, and filters so narrow that one is empty.
  explicit LogMel(const LogMelOptions& options = {});

  /// f32 [frames, width()]: the filters, then their deltas. Throws as power_spectrum().
  Array operator()(const std::vector<float>& samples) const;

  Index width() const { return options_.filters * (options_.deltas ? 2 : 1); }
  const LogMelOptions& options() const { return options_; }

 private:
  // A filter's weights of the frequencies from the first on.
  struct Filter {
    Index first;
    std::vector<float> weights;
  };
  LogMelOptions options_;
  std::vector<Filter> filters_;
};

}  // namespace heed::data
