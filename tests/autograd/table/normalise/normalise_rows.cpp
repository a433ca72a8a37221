#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/entmax.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/normalise/sparsemax.h"
#include "../../../../core/error.h"
#include "../table.h"

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
  return {Op::softmax,
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
            bad_calls.push_back(BAD(ShapeError, "softmax: axis 2 is out of range for rank 2",
                                    softmax(of(3, 5), 2)));
            bad_calls.push_back(BAD(DTypeError, "softmax: the mask must be bool, not f32[5]",
                                    softmax(of(3, 5), 1, of(5))));
            bad_calls.push_back(BAD(ShapeError,
                                    "softmax: mask bool[2, 3, 5] does not broadcast to f32[3, 5]",
                                    softmax(of(3, 5), 1, of<DType::boolean>(2, 3, 5))));
            bad_calls.push_back(BAD(ShapeError, "softmax: shapes [3] and [3, 5] do not broadcast",
                                    softmax(of(3, 5), 1, of<DType::boolean>(3))));
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
            bad_calls.push_back(BAD(ShapeError, "log_softmax: axis -3 is out of range for rank 2",
                                    log_softmax(of(3, 5), -3)));
            return bad_calls;
          }()};
}

// [d x - tau]_+^(1/d), d = alpha - 1, with tau between bounds that close in on a sum of 1.
Block sparse(const Block& x, Index axis, const Block& alpha, const Block& mask) {
  return Block(x.shape(), [&](const Place& p) {
    const auto power = [&](const Place& at, double tau) {
      const double d = alpha(replaced(p, axis, 0)) - 1;
      const double base = d * x(at) - tau;
      return mask(at) == 0 || base <= 0 ? 0.0 : std::pow(base, 1 / d);
    };
    double low = -100, high = 100;
    for (int step = 0; step < 100; ++step) {
      const double tau = (low + high) / 2;
      double total = 0;
      for (Index k = 0; k < x.size(axis); ++k) total += power(replaced(p, axis, k), tau);
      (total > 1 ? low : high) = tau;
    }
    return mask(p) == 0 ? 0.0 : power(p, high);
  });
}

Row sparsemax_row() {
  const Block two({}, std::vector<double>{2});
  const auto form = [=](const std::string& name, const Sizes& shape, Index axis, Index real,
                        const Block& mask) {
    const bool masked = mask.rank() > 0;
    return sample(
        name, {in(shape)},
        [=](X x) {
          // Closer together: of distant scores only one gets a share, with no gradient.
          return sparsemax(0.3 * x[0], axis, masked ? to_tensor(mask, DType::boolean) : Tensor());
        },
        [=](B x) { return sparse(map(x[0], [](double v) { return 0.3 * v; }), real, two, mask); });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("sparsemax", [](const Tensor& x) { return sparsemax(x, 0); });
  bad_calls.push_back(
      BAD(ShapeError, "sparsemax: axis 2 is out of range for rank 2", sparsemax(of(3, 5), 2)));
  bad_calls.push_back(BAD(DTypeError, "sparsemax: the mask must be bool, not f32[5]",
                          sparsemax(of(3, 5), 1, of(5))));
  bad_calls.push_back(BAD(ShapeError,
                          "sparsemax: mask bool[2, 3, 5] does not broadcast to f32[3, 5]",
                          sparsemax(of(3, 5), 1, of<DType::boolean>(2, 3, 5))));
  return {Op::sparsemax,
          {form("rows", {3, 5}, -1, 1, open()), form("columns", {3, 5}, 0, 0, open()),
           form("middle axis", {2, 3, 2}, 1, 1, open()), form("vector", {7}, 0, 0, open()),
           form("empty", {0, 3}, 1, 1, open()), form("rows of nothing", {3, 0}, 1, 1, open()),
           form("masked", {2, 3}, 1, 1, Block({2, 3}, std::vector<double>{1, 0, 1, 0, 1, 1})),
           form("mask along columns", {3, 2}, 0, 0, Block({3, 1}, std::vector<double>{0, 1, 1})),
           form("a row masked whole", {2, 3}, 1, 1, Block({2, 1}, std::vector<double>{0, 1}))},
          bad_calls};
}

// alpha a number, or 1.1 + 0.35 of the second input, which has `alphas` shape.
Row entmax_row() {
  const auto fixed = [](const std::string& name, const Sizes& shape, Index axis, Index real,
                        double alpha, const Block& mask) {
    const bool masked = mask.rank() > 0;
    return sample(
        name, {in(shape)},
        [=](X x) {
          return entmax(x[0], axis, alpha, masked ? to_tensor(mask, DType::boolean) : Tensor());
        },
        [=](B x) { return sparse(x[0], real, Block({}, std::vector<double>{alpha}), mask); });
  };
  const auto learned = [](const std::string& name, const Sizes& shape, Index axis,
                          const Sizes& alphas, const Block& mask) {
    const bool masked = mask.rank() > 0;
    return sample(
        name, {in(shape), in(alphas, Domain::positive)},
        [=](X x) {
          return entmax(x[0], axis, 1.1 + 0.35 * x[1],
                        masked ? to_tensor(mask, DType::boolean) : Tensor());
        },
        [=](B x) {
          return sparse(x[0], axis, map(x[1], [](double v) { return 1.1 + 0.35 * v; }), mask);
        });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("entmax", [](const Tensor& x) { return entmax(x, 0); });
  bad_calls.push_back(
      BAD(ShapeError, "entmax: axis -3 is out of range for rank 2", entmax(of(3, 5), -3)));
  bad_calls.push_back(
      BAD(ValueError, "entmax: alpha 0.5 is not a number of at least 1", entmax(of(3, 5), 1, 0.5)));
  bad_calls.push_back(BAD(ValueError, "entmax: alpha nan is not a number of at least 1",
                          entmax(of(3, 5), 1, std::nan(""))));
  bad_calls.push_back(BAD(ShapeError,
                          "entmax: alpha f32[5] does not broadcast to [3, 1], one a row",
                          entmax(of(3, 5), 1, ones({5}))));
  bad_calls.push_back(BAD(DTypeError, "entmax: dtypes differ: x is f32[3, 5], alpha is f64[]",
                          entmax(of(3, 5), 1, tensor(1.5, DType::f64))));
  bad_calls.push_back(BAD(GradError, "entmax: alpha is undefined", entmax(of(3, 5), 1, Tensor())));
  bad_calls.push_back(BAD(DTypeError, "entmax: the mask must be bool, not f32[5]",
                          entmax(of(3, 5), 1, 1.5, of(5))));
  const Block some({2, 3}, std::vector<double>{1, 0, 1, 0, 1, 1});
  return {
      Op::entmax,
      {fixed("rows", {3, 5}, -1, 1, 1.5, open()), fixed("columns", {3, 5}, 0, 0, 1.3, open()),
       fixed("middle axis", {2, 3, 2}, 1, 1, 1.05, open()), fixed("alpha 2", {7}, 0, 0, 2, open()),
       fixed("alpha 3", {2, 3}, 1, 1, 3, open()), fixed("masked", {2, 3}, 1, 1, 1.5, some),
       fixed("empty", {0, 3}, 1, 1, 1.5, open()),
       fixed("rows of nothing", {3, 0}, 1, 1, 1.5, open()),
       learned("learned", {3, 5}, 1, {}, open()), learned("one a row", {3, 5}, 1, {3, 1}, open()),
       learned("one a column", {3, 5}, 0, {5}, open()),
       learned("one a head", {2, 3, 5}, 2, {3, 1}, open()),
       learned("learned, masked", {2, 3}, 1, {}, some),
       learned("a row masked whole", {2, 3}, 1, {2, 1}, Block({2, 1}, std::vector<double>{0, 1}))},
      bad_calls};
}

}  // namespace

std::vector<Row> normalise_rows() {
  return {softmax_row(), log_softmax_row(), sparsemax_row(), entmax_row()};
}

}  // namespace heed::table
