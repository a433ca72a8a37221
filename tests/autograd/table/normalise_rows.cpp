#include <cmath>

#include "../../../autograd/ops/softmax.h"
#include "../../../core/error.h"
#include "table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// exp(x) over its sum along the axis, among the places that the mask lets in.
Block normalised(const Block& x, Index axis, const Block& mask, bool log) {
  return Block(x.shape(), [&](const Place& p) {
    double total = 0;
    for (Index k = 0; k < x.size(axis); ++k) {
      const Place at = replaced(p, axis, k);
      if (mask(at) != 0) total += std::exp(x(at));
    }
    if (log) return x(p) - std::log(total);
    return mask(p) == 0 ? 0.0 : std::exp(x(p)) / total;
  });
}

Block open() { return Block({}, std::vector<double>{1}); }

Row softmax_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index axis, Index real,
                       const Block& mask) {
    const bool masked = mask.rank() > 0;
    return sample(
        name, {in(shape)},
        [=](X x) {
          return softmax(x[0], axis, masked ? to_tensor(mask, DType::boolean) : Tensor());
        },
        [=](B x) { return normalised(x[0], real, mask, false); });
  };
  return {
      Op::softmax,
      {form("rows", {3, 5}, -1, 1, open()), form("columns", {3, 5}, 0, 0, open()),
       form("middle axis", {2, 3, 2}, 1, 1, open()), form("vector", {7}, 0, 0, open()),
       form("sizes of 1", {1, 3, 1}, 1, 1, open()), form("empty", {0, 3}, 1, 1, open()),
       form("rows of nothing", {3, 0}, 1, 1, open()),
       form("masked", {2, 3}, 1, 1, Block({2, 3}, std::vector<double>{1, 0, 1, 0, 1, 1})),
       form("mask broadcast", {3, 5}, -1, 1, Block({5}, std::vector<double>{1, 1, 0, 1, 0})),
       form("mask along columns", {3, 2}, 0, 0, Block({3, 1}, std::vector<double>{0, 1, 1})),
       form("a row masked whole", {2, 3}, 1, 1, Block({2, 1}, std::vector<double>{0, 1}))},
      [] {
        std::vector<BadCall> bad_calls =
            bad_operands("softmax", [](const Tensor& x) { return softmax(x, 0); });
        bad_calls.push_back(bad<ShapeError>("softmax: axis 2 is out of range for rank 2",
                                            [] { softmax(of(3, 5), 2); }));
        bad_calls.push_back(bad<DTypeError>("softmax: the mask must be bool, not f32[5]",
                                            [] { softmax(of(3, 5), 1, of(5)); }));
        bad_calls.push_back(
            bad<ShapeError>("softmax: mask bool[2, 3, 5] does not broadcast to f32[3, 5]",
                            [] { softmax(of(3, 5), 1, of<DType::boolean>(2, 3, 5)); }));
        bad_calls.push_back(bad<ShapeError>("softmax: shapes [3] and [3, 5] do not broadcast",
                                            [] { softmax(of(3, 5), 1, of<DType::boolean>(3)); }));
        return bad_calls;
      }()};
}

Row log_softmax_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index axis, Index real) {
    return sample(
        name, {in(shape)}, [=](X x) { return log_softmax(x[0], axis); },
        [=](B x) { return normalised(x[0], real, open(), true); });
  };
  return {Op::log_softmax,
          {form("rows", {3, 5}, -1, 1), form("columns", {3, 5}, 0, 0),
           form("middle axis", {2, 3, 2}, 1, 1), form("vector", {7}, 0, 0),
           form("sizes of 1", {1, 3, 1}, 1, 1), form("empty", {0, 3}, 1, 1),
           form("rows of nothing", {3, 0}, 1, 1)},
          [] {
            std::vector<BadCall> bad_calls =
                bad_operands("log_softmax", [](const Tensor& x) { return log_softmax(x, 0); });
            bad_calls.push_back(bad<ShapeError>("log_softmax: axis -3 is out of range for rank 2",
                                                [] { log_softmax(of(3, 5), -3); }));
            return bad_calls;
          }()};
}

}  // namespace

std::vector<Row> normalise_rows() { return {softmax_row(), log_softmax_row()}; }

}  // namespace heed::table
