#include <cmath>
#include <limits>

#include "../../../../autograd/ops/normalise/batch_norm.h"
#include "../../../../autograd/ops/normalise/group_norm.h"
#include "../../../../autograd/ops/normalise/layer_norm.h"
#include "../../../../autograd/ops/normalise/normalize.h"
#include "../../../../autograd/ops/normalise/rms_norm.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;
using Same = std::function<bool(const Place&, const Place&)>;

// Each element against those that `same` puts into its row, by the element's own sums.
Block standardized(const Block& x, const Same& same, double eps, bool centred = true) {
  return Block(x.shape(), [&](const Place& p) {
    double count = 0, total = 0, squares = 0;
    each_place(x.shape(), [&](const Place& q) {
      if (!same(p, q)) return;
      count += 1;
      total += x(q);
    });
    const double mean = centred ? total / count : 0;
    each_place(x.shape(), [&](const Place& q) {
      if (same(p, q)) squares += (x(q) - mean) * (x(q) - mean);
    });
    return (x(p) - mean) / std::sqrt(squares / count + eps);
  });
}

// Places that differ in the last `trailing` axes alone.
Same trailing(Index count) {
  return [=](const Place& p, const Place& q) {
    return std::equal(p.begin(), p.end() - count, q.begin());
  };
}

Block plus(const Block& x, const Block& y) {
  return map(x, y, [](double a, double b) { return a + b; });
}
Block times(const Block& x, const Block& y) {
  return map(x, y, [](double a, double b) { return a * b; });
}
// A number a channel, to stand beside x.
Block a_channel(const Block& values, const Block& x) {
  return Block(x.shape(), [&](const Place& p) { return values({p[1]}); });
}
Tensor nth(X x, std::size_t i) { return x.size() > i ? x[i] : Tensor(); }

// Inputs x, weight, bias, as many as there are.
std::vector<Input> with_affine(const Sizes& x, const Sizes& affine, std::size_t count) {
  std::vector<Input> inputs{in(x)};
  inputs.resize(count, in(affine));
  return inputs;
}

// Where all elements of a row are equal, x - mean is what f32 rounds away of the mean and nothing
// else: at most 2 units in the last place of |x| <= 2, 2.4e-7. It is divided by sqrt(eps) and
// multiplied by a weight of at most 2: 2.4e-7 / sqrt(1e-5) * 2 = 1.5e-4.
constexpr double kFlat = 2e-4;

Row layer_norm_row() {
  const auto form = [](const std::string& name, const Sizes& shape, const Sizes& row,
                       std::size_t inputs, double eps = 1e-5, bool plain = false) {
    return sample(
        name, with_affine(shape, row, inputs),
        [=](X x) {
          return (plain ? layer_norm_plain : layer_norm)(x[0], Shape(row), nth(x, 1), nth(x, 2),
                                                         eps);
        },
        [=](B x) {
          Block y = standardized(x[0], trailing(static_cast<Index>(row.size())), eps);
          if (inputs > 1) y = times(y, x[1]);
          return inputs > 2 ? plus(y, x[2]) : y;
        });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("layer_norm", [](const Tensor& x) { return layer_norm(x, {5}); });
  const auto add = [&](BadCall call) { bad_calls.push_back(std::move(call)); };
  add(BAD(ShapeError, "layer_norm: the last sizes of x, f32[3, 5], must be normalized_shape [3]",
          layer_norm(of(3, 5), {3})));
  add(BAD(ShapeError, "must be normalized_shape []", layer_norm(of(3, 5), Shape{})));
  add(BAD(ShapeError, "must be normalized_shape [2, 3, 5]", layer_norm(of(3, 5), {2, 3, 5})));
  add(BAD(ShapeError, "layer_norm: weight must be [5], not f32[3]",
          layer_norm(of(3, 5), {5}, of(3))));
  add(BAD(ShapeError, "layer_norm: bias must be [5], not f32[1, 5]",
          layer_norm(of(3, 5), {5}, of(5), of(1, 5))));
  add(BAD(DTypeError, "layer_norm: dtypes differ: x is f32[3, 5], weight is f64[5]",
          layer_norm(of(3, 5), {5}, of<DType::f64>(5))));
  add(BAD(ValueError, "layer_norm: eps -1 is not a number of at least 0",
          layer_norm(of(3, 5), {5}, Tensor(), Tensor(), -1)));
  return {Op::layer_norm,
          {form("rows", {3, 5}, {5}, 3), form("no bias", {3, 5}, {5}, 2),
           form("neither", {2, 3, 7}, {7}, 1), form("two axes", {2, 3, 5}, {3, 5}, 3),
           form("whole", {3, 5}, {3, 5}, 3), form("wide", {2, 67}, {67}, 3),
           form("large eps", {3, 5}, {5}, 3, 0.5), form("vector", {7}, {7}, 3),
           form("plain", {3, 5}, {5}, 3, 1e-5, true), form("no rows", {0, 5}, {5}, 3),
           form("rows of nothing", {3, 0}, {0}, 3)},
          bad_calls,
          {},
          1e-5,
          {{"vector, expanded", kFlat}}};
}

Row rms_norm_row() {
  const auto form = [](const std::string& name, const Sizes& shape, const Sizes& row,
                       std::size_t inputs, double eps = 1e-6, bool plain = false) {
    return sample(
        name, with_affine(shape, row, inputs),
        [=](X x) { return (plain ? rms_norm_plain : rms_norm)(x[0], Shape(row), nth(x, 1), eps); },
        [=](B x) {
          const Block y = standardized(x[0], trailing(static_cast<Index>(row.size())), eps, false);
          return inputs > 1 ? times(y, x[1]) : y;
        });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("rms_norm", [](const Tensor& x) { return rms_norm(x, {5}); });
  bad_calls.push_back(BAD(ShapeError,
                          "rms_norm: the last sizes of x, f32[3, 5], must be normalized_shape [3]",
                          rms_norm(of(3, 5), {3})));
  bad_calls.push_back(
      BAD(ShapeError, "rms_norm: weight must be [5], not f32[3]", rms_norm(of(3, 5), {5}, of(3))));
  bad_calls.push_back(
      BAD(ValueError, "rms_norm: eps inf is not a number of at least 0",
          rms_norm(of(3, 5), {5}, Tensor(), std::numeric_limits<double>::infinity())));
  return {Op::rms_norm,
          {form("rows", {3, 5}, {5}, 2), form("no weight", {2, 3, 7}, {7}, 1),
           form("two axes", {2, 3, 5}, {3, 5}, 2), form("wide", {2, 67}, {67}, 2),
           form("large eps", {3, 5}, {5}, 2, 0.5), form("vector", {7}, {7}, 2),
           form("plain", {3, 5}, {5}, 2, 1e-6, true), form("no rows", {0, 5}, {5}, 2)},
          bad_calls};
}

// Places of the same channel.
bool same_channel(const Place& p, const Place& q) { return p[1] == q[1]; }

Row batch_norm_row() {
  const auto form = [](const std::string& name, const Sizes& shape, std::size_t inputs,
                       bool plain = false) {
    return sample(
        name, with_affine(shape, {shape[1]}, inputs),
        [=](X x) {
          if (plain) return batch_norm_plain(x[0], nth(x, 1), nth(x, 2));
          return batch_norm(x[0], Tensor(), Tensor(), nth(x, 1), nth(x, 2), true);
        },
        [=](B x) {
          Block y = standardized(x[0], same_channel, 1e-5);
          if (inputs > 1) y = times(y, a_channel(x[1], x[0]));
          return inputs > 2 ? plus(y, a_channel(x[2], x[0])) : y;
        });
  };
  const auto evaluation = [](const std::string& name, const Sizes& shape, std::size_t inputs) {
    const Block mean({shape[1]},
                     [](const Place& p) { return 0.5 * static_cast<double>(p[0]) - 1; });
    const Block var({shape[1]}, [](const Place& p) { return 0.5 + static_cast<double>(p[0]); });
    return sample(
        name, with_affine(shape, {shape[1]}, inputs),
        [=](X x) {
          const DType dtype = x[0].dtype();
          return batch_norm(x[0], to_tensor(mean, dtype), to_tensor(var, dtype), nth(x, 1),
                            nth(x, 2));
        },
        [=](B x) {
          Block y(x[0].shape(), [&](const Place& p) {
            return (x[0](p) - mean({p[1]})) / std::sqrt(var({p[1]}) + 1e-5);
          });
          if (inputs > 1) y = times(y, a_channel(x[1], x[0]));
          return inputs > 2 ? plus(y, a_channel(x[2], x[0])) : y;
        });
  };
  std::vector<BadCall> bad_calls = bad_operands("batch_norm", [](const Tensor& x) {
    return batch_norm(x, Tensor(), Tensor(), Tensor(), Tensor(), true);
  });
  const auto add = [&](BadCall call) { bad_calls.push_back(std::move(call)); };
  const auto training = [](const Tensor& x, const Tensor& weight = Tensor(),
                           double momentum = 0.1) {
    batch_norm(x, Tensor(), Tensor(), weight, Tensor(), true, momentum);
  };
  add(BAD(ShapeError, "batch_norm: x must be [N, C, ...], not f32[5]", training(of(5))));
  add(BAD(ValueError, "batch_norm: training needs more than one value a channel, x is f32[1, 5]",
          training(of(1, 5))));
  add(BAD(ValueError, "batch_norm: momentum 1.5 is not in [0, 1]",
          training(of(3, 5), Tensor(), 1.5)));
  add(BAD(ShapeError, "batch_norm: weight must be [5], not f32[3]", training(of(3, 5), of(3))));
  add(BAD(ValueError, "batch_norm: evaluation needs running_mean and running_var",
          batch_norm(of(3, 5), of(5), Tensor())));
  add(BAD(ShapeError, "batch_norm: running_var must be [5], not f32[3]",
          batch_norm(of(3, 5), of(5), of(3))));
  add(BAD(DTypeError, "batch_norm: dtypes differ: x is f32[3, 5], running_mean is f64[5]",
          batch_norm(of(3, 5), of<DType::f64>(5), of(5))));
  add(BAD(GradError, "batch_norm: running_mean must not require a gradient",
          batch_norm(of(3, 5), of(5).set_requires_grad(), of(5), Tensor(), Tensor(), true)));
  return {Op::batch_norm,
          {form("rows", {3, 5}, 3), form("sequences", {3, 2, 5}, 3), form("no bias", {3, 5}, 2),
           form("neither", {5, 3}, 1), form("images", {2, 3, 2, 2}, 3),
           form("long sequences", {2, 3, 17}, 3), form("plain", {3, 2, 5}, 3, true),
           form("empty", {0, 3}, 3), form("no channels", {3, 0}, 3),
           evaluation("evaluation", {3, 5}, 3), evaluation("evaluation, images", {2, 3, 2, 2}, 1),
           evaluation("evaluation of one", {1, 5}, 2)},
          bad_calls,
          {},
          1e-5,
          {{"rows, expanded", kFlat}, {"no bias, expanded", kFlat}, {"neither, expanded", kFlat}}};
}

Row group_norm_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index groups,
                       std::size_t inputs, bool plain = false) {
    return sample(
        name, with_affine(shape, {shape[1]}, inputs),
        [=](X x) {
          return (plain ? group_norm_plain : group_norm)(x[0], groups, nth(x, 1), nth(x, 2), 1e-5);
        },
        [=](B x) {
          const Index each = shape[1] / groups;
          Block y = standardized(
              x[0],
              [=](const Place& p, const Place& q) {
                return p[0] == q[0] && p[1] / each == q[1] / each;
              },
              1e-5);
          if (inputs > 1) y = times(y, a_channel(x[1], x[0]));
          return inputs > 2 ? plus(y, a_channel(x[2], x[0])) : y;
        });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("group_norm", [](const Tensor& x) { return group_norm(x, 5); });
  const auto add = [&](BadCall call) { bad_calls.push_back(std::move(call)); };
  add(BAD(ValueError, "group_norm: groups 0 must be positive", group_norm(of(3, 5), 0)));
  add(BAD(ShapeError, "group_norm: x must be [N, C, ...], C a multiple of 2 groups, not f32[3, 5]",
          group_norm(of(3, 5), 2)));
  add(BAD(ShapeError, "group_norm: x must be [N, C, ...]", group_norm(of(5), 5)));
  add(BAD(ShapeError, "group_norm: bias must be [6], not f32[3]",
          group_norm(of(2, 6), 3, Tensor(), of(3))));
  return {Op::group_norm,
          {form("vectors", {3, 6}, 2, 3), form("sequences", {2, 6, 5}, 3, 3),
           form("one group", {2, 3, 5}, 1, 3), form("a group a channel", {2, 3, 5}, 3, 3),
           form("images", {2, 4, 2, 3}, 2, 3), form("no bias", {2, 6, 3}, 2, 2),
           form("neither", {2, 6, 3}, 2, 1), form("long", {2, 2, 17}, 1, 3),
           form("plain", {2, 6, 5}, 3, 3, true), form("empty", {0, 6, 5}, 3, 3)},
          bad_calls};
}

// The norm of the vector along `axis` that a place lies on.
double norm(const Block& x, const Place& p, Index axis, double power) {
  double total = 0;
  for (Index k = 0; k < x.size(axis); ++k) {
    const double size = std::fabs(x(replaced(p, axis, k)));
    total = std::isinf(power) ? std::max(total, size) : total + std::pow(size, power);
  }
  return std::isinf(power) ? total : std::pow(total, 1 / power);
}

Row normalize_row() {
  const auto form = [](const std::string& name, const Sizes& shape, double p, Index axis,
                       Index real, double eps = 1e-12) {
    return sample(
        name, {in(shape, std::isinf(p) ? Domain::distinct : Domain::nonzero)},
        [=](X x) { return normalize(x[0], p, axis, eps); },
        [=](B x) {
          return Block(shape, [&](const Place& at) {
            return x[0](at) / std::max(eps, norm(x[0], at, real, p));
          });
        });
  };
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<BadCall> bad_calls =
      bad_operands("normalize", [](const Tensor& x) { return normalize(x); });
  bad_calls.push_back(
      BAD(ShapeError, "normalize: axis 2 is out of range for rank 2", normalize(of(3, 5), 2, 2)));
  bad_calls.push_back(
      BAD(ValueError, "normalize: p 0.5 is not at least 1", normalize(of(3, 5), 0.5)));
  bad_calls.push_back(BAD(ValueError, "normalize: eps -1 is not a number of at least 0",
                          normalize(of(3, 5), 2, 1, -1)));
  return {"normalize",
          {form("rows", {3, 5}, 2, -1, 1), form("columns", {3, 5}, 2, 0, 0),
           form("middle axis", {2, 3, 2}, 2, 1, 1), form("p 1", {3, 5}, 1, 1, 1),
           form("p 3", {3, 5}, 3, 1, 1), form("p infinity", {3, 5}, inf, 1, 1),
           form("p 2.5, columns", {3, 2}, 2.5, 0, 0), form("large eps", {3, 5}, 2, 1, 1, 100),
           form("empty", {0, 3}, 2, 1, 1), form("vectors of nothing", {3, 0}, 2, 1, 1)},
          bad_calls};
}

Row cosine_similarity_row() {
  const auto form = [](const std::string& name, const Sizes& a, const Sizes& b, Index axis,
                       Index real, const Sizes& whole, double eps = 1e-8) {
    return sample(
        name, {in(a, Domain::nonzero), in(b, Domain::nonzero)},
        [=](X x) { return cosine_similarity(x[0], x[1], axis, eps); },
        [=](B x) {
          const Block wide_x(whole, [&](const Place& p) { return x[0](p); });
          const Block wide_y(whole, [&](const Place& p) { return x[1](p); });
          const Block terms(whole, [&](const Place& p) {
            return wide_x(p) * wide_y(p) / std::max(eps, norm(wide_x, p, real, 2)) /
                   std::max(eps, norm(wide_y, p, real, 2));
          });
          return fold(terms, {real}, false, 0, [](double s, double t) { return s + t; });
        });
  };
  return {
      "cosine_similarity",
      {form("rows", {3, 5}, {3, 5}, -1, 1, {3, 5}), form("columns", {3, 5}, {3, 5}, 0, 0, {3, 5}),
       form("one against many", {5}, {3, 5}, 1, 1, {3, 5}),
       form("all pairs", {3, 1, 5}, {2, 5}, 2, 2, {3, 2, 5}),
       form("axis broadcast", {3, 1}, {3, 5}, 1, 1, {3, 5}),
       form("large eps", {3, 5}, {3, 5}, 1, 1, {3, 5}, 100), form("vectors", {7}, {7}, 0, 0, {7}),
       form("empty", {0, 5}, {0, 5}, 1, 1, {0, 5})},
      {BAD(ShapeError, "cosine_similarity: shapes [3, 5] and [3] do not broadcast",
           cosine_similarity(of(3, 5), of(3))),
       BAD(ShapeError, "cosine_similarity: axis 2 is out of range for rank 2",
           cosine_similarity(of(3, 5), of(3, 5), 2)),
       BAD(DTypeError, "cosine_similarity: dtypes differ: x is f32[3, 5], y is f64[3, 5]",
           cosine_similarity(of(3, 5), of<DType::f64>(3, 5))),
       BAD(DTypeError, "cosine_similarity: takes f32 or f64, not i64",
           cosine_similarity(of<DType::i64>(3, 5), of<DType::i64>(3, 5))),
       BAD(ValueError, "cosine_similarity: eps -1 is not a number of at least 0",
           cosine_similarity(of(3, 5), of(3, 5), 1, -1)),
       BAD(GradError, "cosine_similarity: x is undefined", cosine_similarity(Tensor(), of(3, 5))),
       BAD(GradError, "cosine_similarity: y is undefined", cosine_similarity(of(3, 5), Tensor()))}};
}

}  // namespace

std::vector<Row> norm_rows() {
  return {layer_norm_row(), rms_norm_row(),  batch_norm_row(),
          group_norm_row(), normalize_row(), cosine_similarity_row()};
}

}  // namespace heed::table
