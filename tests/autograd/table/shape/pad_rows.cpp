#include "../../../../autograd/ops/shape/pad.h"

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// `before` places ahead of each axis; what lies outside of x comes from `outside`.
Sample padded(const std::string& name, const Sizes& from, const Sizes& to, const Sizes& pads,
              PadMode mode, const Sizes& before) {
  return sample(
      name, {in(from)}, [=](X x) { return pad(x[0], pads, mode, 1.5); },
      [=](B x) {
        return Block(to, [&](Place p) {
          for (std::size_t i = 0; i < p.size(); ++i) {
            p[i] -= before[i];
            const bool outside = p[i] < 0 || p[i] >= from[i];
            if (outside && mode == PadMode::constant) return 1.5;
            if (mode == PadMode::replicate) p[i] = p[i] < 0 ? 0 : std::min(p[i], from[i] - 1);
            if (mode == PadMode::reflect && p[i] < 0) p[i] = -p[i];
            if (mode == PadMode::reflect && p[i] >= from[i]) p[i] = 2 * from[i] - 2 - p[i];
          }
          return x[0](p);
        });
      });
}

std::vector<BadCall> refused(PadMode mode) {
  const auto call = [mode](const Shape& shape, const Sizes& pads) {
    return [=] { pad(zeros(shape), pads, mode); };
  };
  return {bad<ShapeError>("pad: needs two numbers an axis, at most 4 for f32[3, 5]; got 3",
                          call({3, 5}, {1, 1, 1})),
          bad<ShapeError>("at most 2 for f32[3]; got 4", call({3}, {1, 1, 1, 1})),
          bad<ShapeError>("pad: -1 before and -3 after axis 0 of f32[3] leave no valid size",
                          call({3}, {-1, -3})),
          bad<ShapeError>("leave no valid size", call({3}, {INT64_MAX, 1})),
          bad<ShapeError>("leave no valid size", call({3}, {INT64_MIN, INT64_MIN})),
          bad<GradError>("pad: x is undefined", [mode] {
            pad(Tensor(), {1, 1}, mode);
          })};
}

Row pad_row() {
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& to,
                       const Sizes& pads, const Sizes& before) {
    return padded(name, from, to, pads, PadMode::constant, before);
  };
  return {
      Op::pad,
      {form("last axis", {3, 5}, {3, 8}, {1, 2}, {0, 1}),
       form("both axes", {2, 3}, {7, 6}, {1, 2, 3, 2}, {3, 1}),
       form("one side", {2, 3}, {2, 5}, {0, 2}, {0, 0}),
       form("cropped", {3, 5}, {3, 2}, {-1, -2}, {0, -1}),
       form("moved", {3, 5}, {3, 5}, {-1, 1}, {0, -1}), form("none", {2, 3}, {2, 3}, {}, {0, 0}),
       form("rank 3", {2, 3, 2}, {2, 5, 2}, {0, 0, 1, 1}, {0, 1, 0}),
       form("vector", {5}, {8}, {2, 1}, {2}), form("sizes of 1", {1, 1}, {1, 3}, {1, 1}, {0, 1}),
       form("empty", {0, 3}, {2, 4}, {1, 0, 1, 1}, {1, 1}),
       form("cropped to nothing", {2, 3}, {2, 0}, {-1, -2}, {0, -1})},
      refused(PadMode::constant)};
}

Row pad_reflect_row() {
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& to,
                       const Sizes& pads, const Sizes& before) {
    return padded(name, from, to, pads, PadMode::reflect, before);
  };
  Row row{
      "pad_reflect",
      {form("last axis", {3, 5}, {3, 8}, {1, 2}, {0, 1}),
       form("as far as it goes", {2, 3}, {2, 7}, {2, 2}, {0, 2}),
       form("both axes", {3, 5}, {5, 8}, {2, 1, 0, 2}, {0, 2}),
       form("cropped", {3, 5}, {3, 5}, {-1, 1}, {0, -1}), form("vector", {7}, {12}, {3, 2}, {3}),
       form("a size of 1", {1, 5}, {1, 7}, {1, 1}, {0, 1}),
       form("empty", {0, 3}, {0, 5}, {1, 1}, {0, 1})},
      refused(PadMode::reflect)};
  row.bad_calls.push_back(BAD(ShapeError,
                              "pad: reflects 3 places of axis 0 of f32[3]; fewer than 3 allowed",
                              pad(of(3), {3, 0}, PadMode::reflect)));
  return row;
}

Row pad_replicate_row() {
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& to,
                       const Sizes& pads, const Sizes& before) {
    return padded(name, from, to, pads, PadMode::replicate, before);
  };
  Row row{
      "pad_replicate",
      {form("last axis", {3, 5}, {3, 8}, {1, 2}, {0, 1}),
       form("further than the axis", {2, 3}, {2, 12}, {5, 4}, {0, 5}),
       form("both axes", {3, 2}, {6, 4}, {1, 1, 2, 1}, {2, 1}),
       form("cropped", {3, 5}, {3, 5}, {-1, 1}, {0, -1}), form("vector", {7}, {10}, {3, 0}, {3}),
       form("sizes of 1", {1, 1}, {1, 4}, {1, 2}, {0, 1}),
       form("empty", {0, 3}, {0, 5}, {1, 1}, {0, 1})},
      refused(PadMode::replicate)};
  row.bad_calls.push_back(BAD(ShapeError, "pad: axis 0 of f32[0] has no element to show",
                              pad(of(0), {1, 0}, PadMode::replicate)));
  return row;
}

}  // namespace

std::vector<Row> pad_rows() { return {pad_row(), pad_reflect_row(), pad_replicate_row()}; }

}  // namespace heed::table
