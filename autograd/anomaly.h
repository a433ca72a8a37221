// Anomaly mode: while a DetectAnomaly lives, every operator's result and every gradient is looked
// at, and the first NaN or infinity is an AnomalyError that says which operator made it, from what
// shapes, at which index, and where: in the forward pass, or in the backward pass with the place
// where the operator was recorded. Slow; when off it costs one flag an operator.
//
//   const DetectAnomaly anomaly;
//   const AnomalyScope scope("encoder");
//   loss(model(x), y).backward();
//   // anomaly: the derivative of sqrt gave inf at [2] for input 0; forward: sqrt of f64[3], in
//   // encoder (train.cpp:41), frames: addr2line -Cfpe ./train 0x1c2f 0x1e07
//
// Places are given as the AnomalyScopes that were open, outermost first, and as a command that
// prints the call stack of a program built with -g.
#pragma once

#include <string>
#include <string_view>

#include "../core/error.h"

namespace heed {

/// A number that is not finite was made.
class AnomalyError : public Error {
 public:
  using Error::Error;
};

/// Looks at all that this thread makes, until it ends.
class DetectAnomaly {
 public:
  /// NaN is always an error; an infinity in a result is one where no input held any, and only with
  /// `infinities`. A gradient must be finite (with `infinities`), or at least not NaN.
  explicit DetectAnomaly(bool infinities = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  bool before_, infinities_before_;
};

/// Names a part of the program for the messages, with its file and line. Costs next to nothing
/// without DetectAnomaly.
class AnomalyScope {
 public:
  explicit AnomalyScope(std::string_view label, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE());
  ~AnomalyScope();
  AnomalyScope(const AnomalyScope&) = delete;
  AnomalyScope& operator=(const AnomalyScope&) = delete;

  /// "encoder (train.cpp:41) > layer 2 (train.cpp:57)", or nothing outside of all scopes.
  static std::string path();

 private:
  const AnomalyScope* outer_;
  std::string label_;
  const char* file_;  // std::source_location is missing from the clang that runs TSan
  int line_;
};

class TapeNode;
class Tensor;

namespace detail {
/// The engine's: throws when the gradient of that input, or of a seed or hook, is not finite.
void inspect_gradient(const TapeNode& node, std::size_t input, const Tensor& gradient);
void inspect_gradient(const char* what, const Tensor& gradient);
}  // namespace detail

}  // namespace heed
