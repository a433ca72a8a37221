// What processes give to a call that all make, in words, compared before anything travels. Internal
// to distributed.
#pragma once

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "../autograd/grad_mode.h"
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

/// What a process says of a call.
struct Call {
  std::string name;  ///< "broadcast from 0"
  std::string options = {};
  std::string tensors;    ///< as said_of() has them
  bool recorded = false;  ///< so that a pass backward comes to it
};

template <class... T>
bool is_recorded(const T&... x) {
  return recording() && ((x.defined() && x.requires_grad()) || ...);
}

/// Before anything travels: a process that waits for other numbers than come would wait for ever,
/// and so would those that wait for one that threw by itself, or that walks back by itself. Throws
/// on all alike: ValueError for other calls or options, what refuse_unlike() throws for other
/// tensors, GradError where some record.
inline void check_calls_alike(const char* op, const World& world, const Call& mine) {
  const auto lines = [](const std::string& said) {
    std::istringstream in(said);
    std::vector<std::string> out(4);
    for (std::string& each : out) std::getline(in, each);
    return out;
  };
  const std::string said =
      fmt::format("{}\n{}\n{}\n{}", mine.name, mine.options, mine.tensors,
                  mine.recorded ? "records it for a pass backward" : "does not record it");
  check_same(world, said, [&](const auto& a, const auto& b, std::size_t other) {
    const auto one = lines(a), two = lines(b);
    if (one[0] != two[0]) {
      throw ValueError(
          fmt::format("{}: process 0 calls {}, process {} {}", op, one[0], other, two[0]));
    }
    if (one[1] != two[1]) throw ValueError(unlike(op, one[1], two[1], other));
    if (one[2] != two[2]) refuse_unlike(one[2], two[2], unlike(op, one[2], two[2], other));
    throw GradError(fmt::format(
        "{}: process 0 {}, process {} {}: let what it is given require a gradient on all processes "
        "or on none, and enter NoGrad on all or on none",
        op, one[3], other, two[3]));
  });
}

}  // namespace heed::distributed
