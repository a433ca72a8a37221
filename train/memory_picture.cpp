#include "memory_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"

namespace heed::train {
namespace {

constexpr Index kCell = 5, kLine = 12, kGap = 8;  // dots of a number, of a title, between panels
constexpr Colour kInk{20, 20, 20}, kPaper{255, 255, 255};

void check(const char* what, const Array& x, Index steps) {
  if (!x.defined() || (x.dtype() != DType::f32 && x.dtype() != DType::f64)) {
    throw DTypeError(
        fmt::format("memory_picture: {} must be f32 or f64, not {}", what, describe(x)));
  }
  if (x.rank() != 2 || x.numel() == 0 || x.size(0) != steps) {
    throw ShapeError(
        fmt::format("memory_picture: {} must be [{}, any], not {}", what, steps, describe(x)));
  }
}

// The first head's weights and the last one's, [T, N] each.
std::pair<Array, Array> heads(const Array& weights, Index steps) {
  if (weights.dtype() != DType::f32 && weights.dtype() != DType::f64) {
    throw DTypeError(
        fmt::format("memory_picture: weights must be f32 or f64, not {}", describe(weights)));
  }
  if (weights.rank() != 3 || weights.numel() == 0 || weights.size(0) != steps) {
    throw ShapeError(fmt::format("memory_picture: weights must be [{}, heads, places], not {}",
                                 steps, describe(weights)));
  }
  return {weights.select(1, 0), weights.select(1, weights.size(1) - 1)};
}

// The rows of a panel: places of x [T, places], from first to last.
struct Panel {
  std::string title;
  Array x;
  Index first, last;
  Index height() const { return (last - first) * kCell; }
};

// x ends at the last of `steps`; before it there is the least.
void draw(Picture& to, const Panel& panel, Index steps, Index left, Index top) {
  const Index T = panel.x.size(0), places = panel.x.size(1);
  const auto numbers = panel.x.to(DType::f64).to_vector<double>();
  double least = 0, most = 0;
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  const double scale = most > least ? 255 / (most - least) : 0;
  to.text(left, top, panel.title, kInk);
  to.fill(left, top + kLine, steps * kCell, panel.height(), {});
  left += (steps - T) * kCell;
  for (Index t = 0; t < T; ++t) {
    for (Index i = panel.first; i < panel.last; ++i) {
      const double x = numbers[static_cast<std::size_t>(t * places + i % places)];
      const double light = std::isfinite(x) ? (x - least) * scale : 0;
      const auto grey = static_cast<std::uint8_t>(std::lround(std::clamp(light, 0.0, 255.0)));
      to.fill(left + t * kCell, top + kLine + (i - panel.first) * kCell, kCell, kCell,
              {grey, grey, grey});
    }
  }
}

// The shortest arc of the ring of places with all that have some weight in any of the two: its
// first place, and the one behind its last, which may be beyond the ring's end.
std::pair<Index, Index> used(const Array& write, const Array& read) {
  const Index N = write.size(1);
  std::vector<bool> some(static_cast<std::size_t>(N), false);
  for (const Array& x : {write, read}) {
    const auto numbers = x.to(DType::f64).to_vector<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= 0.05) some[i % some.size()] = true;
    }
  }
  // The longest run of places without any, and where it ends.
  Index longest = 0, end = 0, run = 0;
  for (Index i = 0; i < 2 * N; ++i) {
    run = some[static_cast<std::size_t>(i % N)] ? 0 : std::min(run + 1, N);
    if (run > longest) {
      longest = run;
      end = (i + 1) % N;
    }
  }
  if (longest <= 4 || longest == N) return {0, N};
  return {end - 2 + (end < 2 ? N : 0), end + N - longest + 2 + (end < 2 ? N : 0)};
}

}  // namespace

Picture memory_picture(const MemoryTrace& trace) {
  const Index T = trace.inputs.defined() && trace.inputs.rank() > 0 ? trace.inputs.size(0) : 0;
  check("inputs", trace.inputs, T);
  const Index A = trace.outputs.defined() && trace.outputs.rank() > 0 ? trace.outputs.size(0) : 0;
  check("outputs", trace.outputs, std::min(A, T));
  const Index I = trace.inputs.size(1), O = trace.outputs.size(1);
  std::vector<Panel> left = {{"inputs", trace.inputs, 0, I}};
  std::vector<Panel> right = {{"outputs", trace.outputs, 0, O}};
  if (trace.weights.defined()) {
    const auto [read, write] = heads(trace.weights, T);
    const auto [first, last] = used(write, read);
    left.push_back({"write weights", write, first, last});
    right.push_back({"read weights", read, first, last});
  }
  const Index wide = std::max(T * kCell, text_width("write weights"));
  Index high = kGap;
  for (std::size_t i = 0; i < left.size(); ++i) {
    high += kLine + std::max(left[i].height(), right[i].height()) + kGap;
  }
  Picture out(2 * wide + 3 * kGap, high, kPaper);
  Index top = kGap;
  for (std::size_t i = 0; i < left.size(); ++i) {
    draw(out, left[i], T, kGap, top);
    draw(out, right[i], T, wide + 2 * kGap, top);
    top += kLine + std::max(left[i].height(), right[i].height()) + kGap;
  }
  return out;
}

}  // namespace heed::train
