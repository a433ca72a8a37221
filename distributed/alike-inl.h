// What processes give to a call that all make, in words, compared before anything travels. Internal
// to distributed.
#pragma once

#include <string>

#include "../autograd/tensor.h"
#include "../core/error.h"

namespace heed::distributed {

inline constexpr const char* kUndefined = "undefined";

/// "f32[2, 3]", as describe() says, or kUndefined.
inline std::string said_of(const Tensor& x) { return x.defined() ? describe(x) : kUndefined; }

/// Without what stands in brackets.
inline std::string without_sizes(const std::string& text) {
  std::string out;
  int depth = 0;
  for (const char each : text) {
    if (each == ']') --depth;
    if (depth == 0) out += each;
    if (each == '[') ++depth;
  }
  return out;
}

/// For two descriptions, of one or several, that are not alike. Throws GradError where something is
/// undefined, else DTypeError or ShapeError.
[[noreturn]] inline void refuse_unlike(const std::string& a, const std::string& b,
                                       const std::string& message) {
  for (const std::string& each : {a, b}) {
    if (each.find(kUndefined) != std::string::npos) throw GradError(message);
  }
  if (without_sizes(a) != without_sizes(b)) throw DTypeError(message);
  throw ShapeError(message);
}

}  // namespace heed::distributed
