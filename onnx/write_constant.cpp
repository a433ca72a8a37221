// What a model makes of its sizes without an operator: the numbers of all passes are looked at, and
// what explains them all is written so that it follows the sizes. An axis along which nothing
// changes is left to the end, where it is spread again.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "../core/error.h"
#include "graph_writer.h"

namespace heed::onnx {
namespace {

bool equal(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  const Array x = a.contiguous(), y = b.contiguous();
  const auto bytes = static_cast<std::size_t>(x.numel()) * size_of(x.dtype());
  return bytes == 0 || std::memcmp(x.raw(), y.raw(), bytes) == 0;
}

// One constant in all passes, as numbers; axes along which it is the same are of size 1.
class Passes {
 public:
  Passes(const GraphWriter& to, Index id) {
    for (std::size_t pass = 0; pass < to.passes(); ++pass) {
      arrays.push_back(to.traced(id, pass).array.to(DType::f64).contiguous());
    }
    dtype = to.traced(id, 0).array.dtype();
    rank = arrays[0].rank();
    whole = arrays;
    for (Index axis = 0; axis < rank; ++axis) {
      const bool same = std::all_of(arrays.begin(), arrays.end(), [axis](const Array& array) {
        return array.size(axis) > 0 && equal(array, array.slice(axis, 0, 1).expand(array.shape()));
      });
      if (!same) continue;
      for (Array& array : arrays) array = array.slice(axis, 0, 1).contiguous();
    }
    for (Index axis = 0; axis < rank; ++axis) {
      const bool varies = std::any_of(arrays.begin(), arrays.end(),
                                      [axis](const Array& array) { return array.size(axis) != 1; });
      if (varies) axes.push_back(axis);
    }
  }

  // The numbers of a pass along the only axis that varies.
  double at(std::size_t pass, Index i) const { return arrays[pass].data<double>()[i]; }
  Index size(std::size_t pass, std::size_t axis) const { return arrays[pass].size(axes[axis]); }
  std::vector<Index> sizes(std::size_t axis) const {
    std::vector<Index> out;
    for (std::size_t pass = 0; pass < arrays.size(); ++pass) out.push_back(size(pass, axis));
    return out;
  }

  std::vector<Array> arrays, whole;  // narrowed, and as they were
  std::vector<Index> axes;           // that vary
  DType dtype = DType::f32;
  Index rank = 0;
};

bool is_whole(double value) { return value == std::floor(value) && std::fabs(value) < 0x1p52; }

// Spread over the axes that were narrowed.
std::string spread(GraphWriter& to, const Passes& from, const std::string& narrow) {
  std::vector<std::vector<Index>> shapes;
  bool grows = false;
  for (std::size_t pass = 0; pass < from.whole.size(); ++pass) {
    const Shape& shape = from.whole[pass].shape();
    std::vector<Index> sizes(shape.begin(), shape.end());
    for (const Index axis : from.axes) sizes[static_cast<std::size_t>(axis)] = 1;
    grows = grows || std::any_of(sizes.begin(), sizes.end(), [](Index size) { return size != 1; });
    shapes.push_back(std::move(sizes));
  }
  return grows ? to.node("Expand", {narrow, to.extents(shapes, "a size of a constant")}) : narrow;
}

// A vector along one axis, to broadcast beside all others.
std::string along(GraphWriter& to, const Passes& from, const std::string& vector, Index axis) {
  std::vector<Index> shape(static_cast<std::size_t>(from.rank), 1);
  shape[static_cast<std::size_t>(axis)] = -1;
  return from.rank == 1 ? vector : to.node("Reshape", {vector, to.whole(shape)});
}

std::string places(GraphWriter& to, const Passes& from) {
  const std::string count = to.extent(from.sizes(0), "the length of a constant");
  return along(to, from, to.range(count), from.axes[0]);
}

// One number everywhere, which may follow the sizes, or be 1 over one that does.
std::string filled(GraphWriter& to, const Passes& from) {
  if (!from.axes.empty()) return "";
  std::vector<double> values;
  for (const Array& array : from.arrays) values.push_back(array.data<double>()[0]);
  const bool same = std::all_of(values.begin(), values.end(), [&](double value) {
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(values[0]);
  });
  std::string out;
  const Shape one = Shape::filled(from.rank, 1);
  if (same) {
    out = to.constant(Array::full(one, values[0], from.dtype));
  } else {
    std::vector<Index> numbers, counts;
    for (const double value : values) {
      if (is_whole(value)) numbers.push_back(static_cast<Index>(value));
      const double inverse = std::round(1 / value);
      if (std::fabs(inverse * value - 1) < 1e-6) counts.push_back(static_cast<Index>(inverse));
    }
    const bool inverse = numbers.size() != values.size();
    if (inverse && counts.size() != values.size()) return "";
    const auto& passes = inverse ? counts : numbers;
    if (!extent_of(passes, to.sizes())) return "";
    out = to.extent(passes, "a number");
    if (from.dtype != DType::i64) out = to.cast(out, from.dtype);
    if (inverse) out = to.node("Reciprocal", {out});
    const std::vector<Index> shape(one.begin(), one.end());
    if (from.rank != 1) out = to.node("Reshape", {out, to.whole(shape)});
  }
  return spread(to, from, out);
}

// c + a i along one axis: places, wherever they begin.
std::string line(GraphWriter& to, const Passes& from) {
  if (from.axes.size() != 1 || from.dtype == DType::boolean) return "";
  const std::size_t last = from.arrays.size() - 1;
  if (from.size(last, 0) < 2) return "";
  const double slope = from.at(last, 1) - from.at(last, 0);
  std::vector<Index> constants;
  for (std::size_t pass = 0; pass <= last; ++pass) {
    const double constant = from.at(pass, 0);
    for (Index i = 0; i < from.size(pass, 0); ++i) {
      const double here = from.at(pass, i);
      if (!is_whole(here) || here != constant + slope * static_cast<double>(i)) return "";
    }
    constants.push_back(static_cast<Index>(constant));
  }
  if (!extent_of(constants, to.sizes())) return "";
  std::string out = places(to, from);
  if (slope != 1) out = to.node("Mul", {out, to.whole({static_cast<Index>(slope)})});
  const bool none = std::all_of(constants.begin(), constants.end(), [](Index c) { return c == 0; });
  if (!none) out = to.node("Add", {out, to.extent(constants, "where places begin")});
  if (from.dtype != DType::i64) out = to.cast(out, from.dtype);
  return spread(to, from, out);
}

// From one number to another, both always the same, in equal steps, as many as there are places.
std::string even_steps(GraphWriter& to, const Passes& from) {
  if (from.axes.size() != 1 || !is_floating(from.dtype)) return "";
  const double first = from.at(0, 0), way = from.at(0, from.size(0, 0) - 1) - first;
  std::vector<Index> steps;
  for (std::size_t pass = 0; pass < from.arrays.size(); ++pass) {
    const Index n = from.size(pass, 0);
    if (n < 2) return "";
    for (Index i = 0; i < n; ++i) {
      const double here = first + way * static_cast<double>(i) / static_cast<double>(n - 1);
      if (!(std::fabs(from.at(pass, i) - here) <= 1e-6 * std::fabs(way))) return "";
    }
    steps.push_back(n - 1);
  }
  if (!extent_of(steps, to.sizes())) return "";
  const std::string count = to.cast(to.extent(steps, "a number of steps"), from.dtype);
  const std::string part = to.node("Div", {to.cast(places(to, from), from.dtype), count});
  const std::string out = to.node("Mul", {part, to.number(way, from.dtype)});
  return spread(to, from, to.node("Add", {out, to.number(first, from.dtype)}));
}

// So many numbers that each follows the sizes: the width and height of a map, say.
std::string several(GraphWriter& to, const Passes& from) {
  const std::vector<Index> count = from.axes.size() == 1 ? from.sizes(0) : std::vector<Index>();
  if (count.empty() || from.dtype == DType::boolean) return "";
  std::vector<std::vector<Index>> numbers(count.size());
  for (std::size_t pass = 0; pass < count.size(); ++pass) {
    if (count[pass] != count[0]) return "";
    for (Index i = 0; i < count[0]; ++i) {
      if (!is_whole(from.at(pass, i))) return "";
      numbers[pass].push_back(static_cast<Index>(from.at(pass, i)));
    }
  }
  for (std::size_t i = 0; i < numbers[0].size(); ++i) {
    std::vector<Index> one;
    one.reserve(numbers.size());
    for (const auto& pass : numbers) one.push_back(pass[i]);
    if (!extent_of(one, to.sizes())) return "";
  }
  std::string out = along(to, from, to.extents(numbers, "a number"), from.axes[0]);
  if (from.dtype != DType::i64) out = to.cast(out, from.dtype);
  return spread(to, from, out);
}

// What came in, once more, in any shape: lengths that went through a vector, say. One number
// everywhere and in all passes is no sign.
std::string copied_input(GraphWriter& to, Index id) {
  const std::size_t count = to.traces()[0].inputs.size();
  for (std::size_t place = 0; place < count; ++place) {
    bool same = true, varies = false, as_it_is = true;
    double number = 0;
    for (std::size_t pass = 0; pass < to.passes() && same; ++pass) {
      const Array& mine = to.traced(id, pass).array;
      const Array& input = to.traces()[pass].inputs[place];
      same = mine.numel() > 0 && mine.numel() == input.numel() &&
             mine.rank() == to.traced(id, 0).array.rank() &&
             equal(mine.to(DType::f64).reshape(input.shape()), input.to(DType::f64));
      if (!same) break;
      as_it_is = as_it_is && mine.shape() == input.shape();
      const auto numbers = input.to(DType::f64).to_vector<double>();
      if (pass == 0) number = numbers[0];
      varies = varies || std::any_of(numbers.begin(), numbers.end(),
                                     [number](double each) { return each != number; });
    }
    if (!same || !varies) continue;
    const DType dtype = to.traced(id, 0).array.dtype();
    std::string input = to.input_name(place);
    if (to.traces()[0].inputs[place].dtype() != dtype) input = to.cast(input, dtype);
    if (as_it_is) return input;
    std::vector<std::vector<Index>> shapes;
    for (std::size_t pass = 0; pass < to.passes(); ++pass) {
      const Shape& shape = to.traced(id, pass).array.shape();
      shapes.emplace_back(shape.begin(), shape.end());
    }
    return to.node("Reshape", {input, to.extents(shapes, "a size of a constant")});
  }
  return "";
}

}  // namespace

std::string write_constant(GraphWriter& to, Index id) {
  const Array& first = to.traced(id, 0).array;
  bool same = true;
  for (std::size_t pass = 1; pass < to.passes(); ++pass) {
    same = same && equal(first, to.traced(id, pass).array);
  }
  if (same) return to.constant(first);
  if (std::string input = copied_input(to, id); !input.empty()) return input;
  for (std::size_t pass = 1; pass < to.passes(); ++pass) {
    if (to.traced(id, pass).array.rank() != first.rank()) to.refuse("a constant changes its rank");
  }
  const Passes passes(to, id);
  const bool some = std::all_of(passes.arrays.begin(), passes.arrays.end(),
                                [](const Array& array) { return array.numel() > 0; });
  std::string made;
  if (some) {
    for (auto* const rule : {filled, line, even_steps, several}) {
      if (made.empty()) made = rule(to, passes);
    }
  } else if (std::all_of(passes.arrays.begin(), passes.arrays.end(),
                         [](const Array& array) { return array.numel() == 0; })) {
    std::vector<std::vector<Index>> shapes;
    for (const Array& array : passes.whole)
      shapes.emplace_back(array.shape().begin(), array.shape().end());
    made =
        to.node("Expand", {to.number(0, passes.dtype), to.extents(shapes, "a size of a constant")});
  }
  if (!made.empty()) return made;
  to.refuse(fmt::format(
      "it reads {}{}, at other sizes {}{}, which no traced operator made and no known rule of the "
      "sizes explains: the graph would hold the numbers as they were",
      name(first.dtype()), to_string(first.shape()), name(first.dtype()),
      to_string(to.traced(id, 1).array.shape())));
}

}  // namespace heed::onnx
