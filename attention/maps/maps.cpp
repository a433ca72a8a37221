#include "maps.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/no_memory.h"

namespace heed::attention::maps {

ScoreMap soft_cap(double cap) {
  if (!(cap > 0) || !std::isfinite(cap)) {
    throw ValueError(fmt::format("score_map: soft_cap: cap {} must be positive", cap));
  }
  return score_map([cap](auto s, auto) { return cap * tanh(s / cap); });
}

ScoreMap soft_cap(const Tensor& cap) {
  check_defined("score_map", cap, "cap");
  return score_map([](auto s, auto, auto c) { return c * tanh(s / c); }, cap);
}

ScoreMap slopes(const Tensor& slopes) {
  check_defined("score_map", slopes, "slopes");
  return score_map([](auto s, auto at, auto m) { return s - m * abs(at.q - at.k); }, slopes);
}

ScoreMap by_distance(const Tensor& table, const Tensor& distances) {
  check_defined("score_map", table, "table", distances, "distances");
  if (table.rank() != 2) {
    throw ShapeError("score_map: by_distance: the table must be [H, D], not " + describe(table));
  }
  if (distances.dtype() != DType::i64) {
    throw DTypeError("score_map: by_distance: distances must be i64, not " + describe(distances));
  }
  return score_map(
      [](auto s, auto at, auto number, auto distance) { return s + number(at.head, distance); },
      as_table(table), each_place(distances));
}

ScoreMap sandwich(Index heads, Index steps, Index width, DType dtype) {
  if (heads <= 0 || steps <= 0 || width <= 0 || width % 2 != 0) {
    throw ValueError(fmt::format(
        "score_map: sandwich: heads {}, steps {} and width {} must be positive, and the "
        "width even",
        heads, steps, width));
  }
  // The sums are products of positions [steps, width]: those of a size that no table could have
  // would take for ever.
  const Index kBytes = sizeof(double);
  static_cast<void>(Checked("score_map: sandwich", steps) * width * kBytes);
  const Index count = Checked("score_map: sandwich", heads) * steps;
  std::vector<double> numbers;
  fitting("score_map: sandwich", count, "biases",
          [&] { numbers.reserve(static_cast<std::size_t>(count)); });
  for (Index h = 1; h <= heads; ++h) {
    const double ratio = 8 * static_cast<double>(h) / static_cast<double>(heads);
    for (Index apart = 0; apart < steps; ++apart) {
      double sum = 0;
      for (Index i = 1; i <= width / 2; ++i) {
        const double turns = 2 * static_cast<double>(i) / static_cast<double>(width);
        sum += std::cos(static_cast<double>(apart) / std::pow(10000, turns));
      }
      numbers.push_back(ratio * sum);
    }
  }
  return score_map([](auto s, auto at, auto bias) { return s + bias(at.head, abs(at.q - at.k)); },
                   as_table(tensor(numbers, Shape{heads, steps}, dtype)));
}

}  // namespace heed::attention::maps
