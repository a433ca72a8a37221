// What processes give to a call that all make, in words, compared before anything travels. Internal
// to distributed.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "../autograd/tensor.h"
#include "../core/error.h"
#include "world.h"

namespace heed::distributed {

inline constexpr const char* kUndefined = "undefined";

/// "f32[2, 3]", as describe() says, or kUndefined.
inline std::string said_of(const Tensor& x) { return x.defined() ? describe(x) : kUndefined; }

/// Gathers what each process says. Where one says other things than process 0, all throw alike:
/// refuse(what process 0 says, what that one says, its number).
template <class Refuse>
void check_same(const World& world, const std::string& mine, const Refuse& refuse) {
  const std::vector<std::string> all = world.gather(mine);
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] != all[0]) refuse(all[0], all[r], r);
  }
}

/// What to say of it.
inline std::string unlike(const char* op, const std::string& a, const std::string& b,
                          std::size_t other) {
  return fmt::format("{}: process 0 has {}, process {} {}", op, a, other, b);
}

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
