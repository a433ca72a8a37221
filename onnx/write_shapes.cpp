// Operators that arrange: what they take from sizes is computed from the inputs' own shapes.
#include <algorithm>
#include <limits>
#include <numeric>

#include "step.h"

namespace heed::onnx {
namespace {

constexpr Index kEnd = std::numeric_limits<Index>::max();

bool is_the_same(const std::vector<Index>& passes) {
  return std::all_of(passes.begin(), passes.end(), [&](Index each) { return each == passes[0]; });
}

std::vector<std::vector<Index>> shapes_of_result(const Step& step) {
  std::vector<std::vector<Index>> out;
  for (std::size_t pass = 0; pass < step.to.passes(); ++pass) {
    const Shape& shape = step.result(0, pass).shape();
    out.emplace_back(shape.begin(), shape.end());
  }
  return out;
}

// An axis that keeps its place and size is said by 0, one more that follows the sizes by -1.
void reshape(const Step& step) {
  GraphWriter& to = step.to;
  std::vector<std::vector<Index>> shapes = shapes_of_result(step);
  std::size_t following = 0, one = 0;
  for (std::size_t axis = 0; axis < shapes[0].size(); ++axis) {
    const auto place = static_cast<Index>(axis);
    const std::vector<Index> sizes = step.result_sizes(place);
    if (is_the_same(sizes)) continue;
    if (place < step.rank() && step.sizes(0, place) == sizes) {
      for (auto& shape : shapes) shape[axis] = 0;
      continue;
    }
    ++following;
    one = axis;
  }
  if (following == 1) {
    for (auto& shape : shapes) shape[one] = -1;
  }
  step.out(to.node("Reshape", {step.in(0), to.extents(shapes, "a size of its result")}));
}

// A size that x has already is said by 1.
void expand(const Step& step) {
  GraphWriter& to = step.to;
  std::vector<std::vector<Index>> shapes = shapes_of_result(step);
  const Index lead = step.result().rank() - step.rank();
  bool grows = lead > 0;
  for (std::size_t axis = 0; axis < shapes[0].size(); ++axis) {
    const Index place = static_cast<Index>(axis) - lead;
    if (place >= 0 && step.sizes(0, place) == step.result_sizes(static_cast<Index>(axis))) {
      for (auto& shape : shapes) shape[axis] = 1;
    } else {
      grows = true;
    }
  }
  step.out(grows ? to.node("Expand", {step.in(0), to.extents(shapes, "a size of its result")})
                 : to.node("Identity", {step.in(0)}));
}

void permuted(const Step& step, std::vector<Index> order) {
  step.out(step.to.node("Transpose", {step.in(0)}, {attribute("perm", std::move(order))}));
}

void transpose(const Step& step) {
  std::vector<Index> order(static_cast<std::size_t>(step.rank()));
  std::iota(order.begin(), order.end(), Index{0});
  std::swap(order[static_cast<std::size_t>(step.axis("a"))],
            order[static_cast<std::size_t>(step.axis("b"))]);
  permuted(step, std::move(order));
}

void permute(const Step& step) {
  std::vector<Index> order = step.numbers("axes");
  for (Index& axis : order) {
    if (axis < 0) axis += step.rank();
  }
  permuted(step, std::move(order));
}

void squeeze(const Step& step) {
  step.out(step.to.node("Squeeze", {step.in(0), step.to.whole({step.axis("axis")})}));
}
void unsqueeze(const Step& step) {
  step.out(
      step.to.node("Unsqueeze", {step.in(0), step.to.whole({step.axis("axis", step.rank() + 1)})}));
}

// A place of an axis that is the same in every pass, or counted from the end the same, or follows.
std::string place_of(const Step& step, const std::vector<Index>& places,
                     const std::vector<Index>& sizes, bool is_stop) {
  GraphWriter& to = step.to;
  const auto same = [&](const auto& number) {
    for (std::size_t pass = 1; pass < places.size(); ++pass) {
      if (number(pass) != number(0)) return false;
    }
    return true;
  };
  if (is_stop && places == sizes) return to.whole({kEnd});
  if (same([&](std::size_t pass) { return places[pass]; })) return to.whole({places[0]});
  const bool from_end = same([&](std::size_t pass) { return places[pass] - sizes[pass]; });
  if (from_end && places[0] < sizes[0]) return to.whole({places[0] - sizes[0]});
  return to.extent(places, is_stop ? "where it stops" : "where it begins");
}

// Where a slice begins or stops, as it was said: what is always the same stays, also where the axis
// was too short in every pass to meet it; other numbers must follow the sizes.
std::string bound_of(const Step& step, const std::vector<Index>& said,
                     const std::vector<Index>& sizes, bool is_stop) {
  if (is_the_same(said)) return step.to.whole({said[0]});
  std::vector<Index> places = said;
  for (std::size_t pass = 0; pass < places.size(); ++pass) {
    if (said[pass] < 0) places[pass] += sizes[pass];
    if (places[pass] < 0) return step.to.extent(said, "a bound of it");
  }
  return place_of(step, places, sizes, is_stop);
}

void slice(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  const std::vector<Index> sizes = step.sizes(0, axis);
  const std::vector<Index> starts = step.passes("start"), stops = step.passes("stop");
  const Index stride = step.number("step");
  const bool from_start = is_the_same(starts) && starts[0] == 0;
  // A number bounds an axis whose size follows, though in no pass it may have.
  const bool to_end =
      stops == sizes ||
      (is_the_same(stops) && (is_the_same(sizes) ? stops[0] >= sizes[0] : stops[0] == kEnd));
  if (stride == 1 && from_start && to_end) {
    step.out(to.node("Identity", {step.in(0)}));
    return;
  }
  step.out(
      to.node("Slice", {step.in(0), bound_of(step, starts, sizes, false),
                        bound_of(step, stops, sizes, true), to.whole({axis}), to.whole({stride})}));
}

void select(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  const std::string at = place_of(step, step.passes("index"), step.sizes(0, axis), false);
  const std::string place = to.node("Squeeze", {at, to.whole({0})});
  step.out(to.node("Gather", {step.in(0), place}, {attribute("axis", std::int64_t{axis})}));
}

void concat(const Step& step) {
  Names inputs;
  for (std::size_t i = 0; i < step.inputs(); ++i) inputs.push_back(step.in(i));
  step.out(step.to.node("Concat", inputs, {attribute("axis", std::int64_t{step.axis("axis")})}));
}

void stack(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis", step.rank() + 1);
  Names inputs;
  for (std::size_t i = 0; i < step.inputs(); ++i) {
    inputs.push_back(to.node("Unsqueeze", {step.in(i), to.whole({axis})}));
  }
  step.out(to.node("Concat", inputs, {attribute("axis", std::int64_t{axis})}));
}

// Parts that nobody reads are cut away all the same, so the lengths of all must be known.
void split(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  const std::size_t count = step.results();
  std::vector<std::vector<Index>> lengths(to.passes());
  for (std::size_t pass = 0; pass < to.passes(); ++pass)
    lengths[pass] = step.passes_of("lengths", pass);
  const Names parts = to.nodes("Split", {step.in(0), to.extents(lengths, "the length of a part")},
                               count, {attribute("axis", std::int64_t{axis})});
  for (std::size_t i = 0; i < count; ++i) step.out(parts[i], i);
}

void flip(const Step& step) {
  GraphWriter& to = step.to;
  const std::vector<Index> axes = step.numbers("axes");
  const std::vector<Index> starts(axes.size(), -1), steps(axes.size(), -1);
  const std::vector<Index> stops(axes.size(), std::numeric_limits<Index>::min());
  step.out(to.node(
      "Slice", {step.in(0), to.whole(starts), to.whole(stops), to.whole(axes), to.whole(steps)}));
}

// Two numbers an axis, last axis first; ONNX has all that stand before, then all behind.
void pad(const Step& step) {
  GraphWriter& to = step.to;
  std::vector<std::vector<Index>> all;
  for (std::size_t pass = 0; pass < to.passes(); ++pass) {
    const std::vector<Index> pads = step.passes_of("pads", pass);
    const auto rank = static_cast<std::size_t>(step.rank());
    std::vector<Index> turned(2 * rank);
    for (std::size_t i = 0; i < pads.size(); i += 2) {
      turned[rank - 1 - i / 2] = pads[i];
      turned[2 * rank - 1 - i / 2] = pads[i + 1];
    }
    all.push_back(std::move(turned));
  }
  step.out(to.node("Pad", {step.in(0), to.extents(all, "a margin"),
                           to.number(step.real("value"), step.dtype())}));
}

// [.., size, ..] -> [.., windows, .., size]: window w takes places w step + 0 .. size - 1.
void unfold(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis"), last = step.rank();
  const std::vector<Index> counts = step.result_sizes(axis), sizes = step.result_sizes(last);
  std::string first = to.range(to.extent(counts, "the count of windows"));
  if (step.number("step") != 1) first = to.node("Mul", {first, to.whole({step.number("step")})});
  first = to.node("Unsqueeze", {first, to.whole({1})});
  const std::string places =
      to.node("Add", {first, to.range(to.extent(sizes, "the size of a window"))});
  const std::string read =
      to.node("Gather", {step.in(0), places}, {attribute("axis", std::int64_t{axis})});
  std::vector<Index> order;  // the window's places go last
  for (Index at = 0; at <= last; ++at) {
    if (at != axis + 1) order.push_back(at);
  }
  order.push_back(axis + 1);
  step.out(to.node("Transpose", {read}, {attribute("perm", order)}));
}

// Of the axes moved last, [n, m] row by row: every (m + 1)th element, from the offset on.
void diagonal(const Step& step) {
  GraphWriter& to = step.to;
  const Index one = step.axis("axis1"), two = step.axis("axis2"), offset = step.number("offset");
  std::vector<Index> order;
  for (Index axis = 0; axis < step.rank(); ++axis) {
    if (axis != one && axis != two) order.push_back(axis);
  }
  order.insert(order.end(), {one, two});
  const std::string x = to.node("Transpose", {step.in(0)}, {attribute("perm", order)});
  const Index last = step.result().rank() - 1;
  const std::string count = to.extent(step.result_sizes(last), "the length of a diagonal");
  const std::string at = to.range(count);
  const auto moved = [&](Index by) { return by == 0 ? at : to.node("Add", {at, to.whole({by})}); };
  // Elements [i + a, i + b] of the last two axes: the columns by index, then the rows.
  std::string shape = to.node(
      "Shape", {x}, {attribute("start", std::int64_t{0}), attribute("end", std::int64_t{last})});
  const std::string rows = to.node("Gather", {x, moved(std::max<Index>(-offset, 0))},
                                   {attribute("axis", std::int64_t{last})});
  const std::string ones =
      to.node("Concat", {shape, count, to.whole({1})}, {attribute("axis", std::int64_t{0})});
  const std::string columns = to.node(
      "Expand", {to.node("Unsqueeze", {moved(std::max<Index>(offset, 0)), to.whole({1})}), ones});
  const std::string read =
      to.node("GatherElements", {rows, columns}, {attribute("axis", std::int64_t{last + 1})});
  step.out(to.node("Squeeze", {read, to.whole({last + 1})}));
}

}  // namespace

void add_shapes(Writers& to) {
  to["reshape"] = reshape;
  to["expand"] = expand;
  to["transpose"] = transpose;
  to["permute"] = permute;
  to["squeeze"] = squeeze;
  to["unsqueeze"] = unsqueeze;
  to["slice"] = slice;
  to["select"] = select;
  to["concat"] = concat;
  to["stack"] = stack;
  to["split"] = split;
  to["flip"] = flip;
  to["pad"] = pad;
  to["unfold"] = unfold;
  to["diagonal"] = diagonal;
}

}  // namespace heed::onnx
