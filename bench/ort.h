// Rows beside ONNX Runtime: the same module, here as it is and there as the graph that it is
// exported as.
//
//   ort_encoder  inference of the row encoder's stack, [8, 256, 512], f32
//   ort_decode   a token at a time with a cache, 6 layers of width 512, from an empty cache to 512
//                tokens; there the cache goes in and out of each call, as its API has it
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench::ort {

struct Row {
  const char* name;
  const char* what;  ///< what a step of the figures is
  double per_step;   ///< of them in a step of the protocol
  double target;     ///< ours over theirs
};
inline constexpr std::int64_t kContext = 512, kLayers = 6, kWidth = 512, kHeads = 8, kInner = 2048;
inline constexpr Row kRows[] = {{"ort_encoder", "a pass", 1, 0.85},
                                {"ort_decode", "a token", static_cast<double>(kContext), 0.7}};

/// Runs both in turns, and prints the medians. `packages`: the folder that has
/// node_modules/onnxruntime-node. False where results differ.
bool measure(const std::string& packages, const std::vector<std::string>& only, int threads,
             int repeats);

}  // namespace bench::ort
