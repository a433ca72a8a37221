#include <cmath>

#include "../../../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../../../autograd/ops/losses/cross_entropy.h"
#include "../../../../autograd/ops/losses/kl_div.h"
#include "../../../../autograd/ops/losses/nll_loss.h"
#include "../../../../autograd/ops/losses/regression_losses.h"
#include "../../../../core/error.h"
#include "../reduced.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;

struct Targets {
  std::vector<Index> classes;
  std::vector<double> weight = {};
  Index ignore_index = -100;
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};

// The axis of the classes among scores of that rank.
Index class_axis(std::size_t rank) { return rank == 1 ? 0 : 1; }

// -sum_c q_c log p_c a target, q the target spread by the smoothing.
Block loss_of(const Block& logits, const Targets& targets) {
  const Index axis = class_axis(logits.shape().size());
  const Index count = logits.size(axis);
  const double spread = targets.label_smoothing / static_cast<double>(count);
  double total = 0, weights = 0;
  auto next = targets.classes.begin();
  const Block losses(without(logits.shape(), axis), [&](const Place& place) {
    const Index target = *next++;
    const auto score = [&](Index c) { return logits(with(place, axis, c)); };
    double norm = 0, loss = 0;
    for (Index c = 0; c < count; ++c) norm += std::exp(score(c));
    for (Index c = 0; c < count && target != targets.ignore_index; ++c) {
      const double weight =
          targets.weight.empty() ? 1 : targets.weight[static_cast<std::size_t>(c)];
      const double q = spread + (c == target ? 1 - targets.label_smoothing : 0);
      loss -= weight * q * (score(c) - std::log(norm));
      if (c == target) weights += weight;
    }
    total += loss;
    return loss;
  });
  if (targets.reduction == Reduction::none) return losses;
  if (targets.reduction == Reduction::mean) total = weights == 0 ? 0 : total / weights;
  return Block({}, std::vector<double>{total});
}

using Loss = Tensor (*)(const Tensor&, const Tensor&, const CrossEntropyOptions&);

Sample form(const std::string& name, const std::vector<Index>& logits, const Targets& targets,
            Loss loss = cross_entropy) {
  const Index axis = class_axis(logits.size());
  return sample(
      name, {in(logits)},
      [=](X x) {
        CrossEntropyOptions options;
        if (!targets.weight.empty()) {
          options.weight = to_tensor(
              Block({logits[static_cast<std::size_t>(axis)]}, targets.weight), x[0].dtype());
        }
        options.ignore_index = targets.ignore_index;
        options.label_smoothing = targets.label_smoothing;
        options.reduction = targets.reduction;
        return loss(x[0], ids(targets.classes, Shape(without(logits, axis))), options);
      },
      [=](B x) { return loss_of(x[0], targets); });
}

Row cross_entropy_row() {
  const Targets all{.classes = {1, 0, -7},
                    .weight = {0.5, 2, 0.25, 1, 3},
                    .ignore_index = -7,
                    .label_smoothing = 0.2};
  Targets every = all;
  every.reduction = Reduction::none;
  return {
      Op::cross_entropy,
      {form("mean", {3, 5}, {.classes = {4, 0, 2}}),
       form("sum", {3, 5}, {.classes = {1, 1, 2}, .reduction = Reduction::sum}),
       form("none", {3, 5}, {.classes = {1, 3, 2}, .reduction = Reduction::none}),
       form("smoothed", {3, 5}, {.classes = {4, 0, 2}, .label_smoothing = 0.1}),
       form("weights", {3, 2}, {.classes = {1, 0, 1}, .weight = {0.3, 2}}),
       form("a weight of 0", {3, 2}, {.classes = {1, 0, 1}, .weight = {0, 2}}),
       form("ignored", {3, 5}, {.classes = {4, -100, 2}}),
       form("everything", {3, 5}, all),
       form("everything, none", {3, 5}, every),
       form("one class", {3, 1}, {.classes = {0, 0, 0}, .reduction = Reduction::none}),
       form("one row", {1, 5}, {.classes = {3}}),
       form("no rows", {0, 5}, {.classes = {}}),
       form("no rows, none", {0, 5}, {.classes = {}, .reduction = Reduction::none}),
       form("rank 1", {5}, {.classes = {2}}),
       form("rank 1, none", {5},
            {.classes = {4}, .label_smoothing = 0.3, .reduction = Reduction::none}),
       form("rank 1, ignored", {5}, {.classes = {-100}, .reduction = Reduction::sum}),
       form("rank 3", {3, 5, 1}, all),
       form("rank 3, none", {1, 5, 3}, every),
       form("rank 4", {1, 2, 2, 3}, {.classes = {0, 1, 1, -100, 0, 1}, .weight = {0.3, 2}}),
       form("rank 3, empty", {2, 5, 0}, {.classes = {}, .reduction = Reduction::none}),
       form("plain, rank 1", {5}, {.classes = {2}}, cross_entropy_plain),
       form("plain, rank 3", {1, 5, 3}, every, cross_entropy_plain),
       form("plain, everything", {3, 5}, all, cross_entropy_plain),
       form("plain, none", {3, 5}, every, cross_entropy_plain)},
      {BAD(IndexError, "cross_entropy: target 5 at 1 is out of range [0, 5)",
           cross_entropy(of(2, 5), ids(0, 5))),
       BAD(IndexError, "cross_entropy: target -1 at 0 is out of range",
           cross_entropy(of(1, 5), ids(-1))),
       BAD(ShapeError,
           "cross_entropy: logits must be [C], [N, C] or [N, C, d..] with C > 0, not f32[]",
           cross_entropy(of(), ids(0))),
       BAD(ShapeError, "cross_entropy: targets are i64[1] for logits f32[5]",
           cross_entropy(of(5), ids(0))),
       BAD(ShapeError, "cross_entropy: targets are i64[2] for logits f32[2, 5, 3]",
           cross_entropy(of(2, 5, 3), ids(0, 0))),
       BAD(ShapeError, "with C > 0, not f32[2, 0]", cross_entropy(of(2, 0), ids(0, 0))),
       BAD(ShapeError, "cross_entropy: targets are i64[3] for logits f32[2, 5]",
           cross_entropy(of(2, 5), ids(0, 1, 2))),
       BAD(DTypeError, "cross_entropy: targets must be i64, not f32[2]",
           cross_entropy(of(2, 5), of(2))),
       BAD(DTypeError, "cross_entropy: takes f32 or f64, not i64",
           cross_entropy(of<DType::i64>(2, 5), ids(0, 1))),
       BAD(ShapeError, "cross_entropy: weight is f32[3] for 5 classes",
           cross_entropy(of(2, 5), ids(0, 1), {.weight = of(3)})),
       BAD(DTypeError, "cross_entropy: weight is f64[5] for logits f32[2, 5]",
           cross_entropy(of(2, 5), ids(0, 1), {.weight = of<DType::f64>(5)})),
       BAD(ValueError, "cross_entropy: label_smoothing 1.5 is not in [0, 1]",
           cross_entropy(of(2, 5), ids(0, 1), {.weight = {}, .label_smoothing = 1.5})),
       BAD(GradError, "cross_entropy: logits is undefined", cross_entropy(Tensor(), ids(0))),
       BAD(GradError, "cross_entropy: targets is undefined", cross_entropy(of(2, 5), Tensor()))}};
}

using PairLoss = std::function<Tensor(const Tensor&, const Tensor&, Reduction)>;
using PairReference = std::function<double(double, double)>;

std::vector<Sample> pair_samples(const std::string& title, const PairLoss& loss,
                                 const PairReference& reference, Domain x = Domain::distinct,
                                 Domain y = Domain::distinct) {
  std::vector<Sample> all;
  const auto add = [&](const std::string& name, const std::vector<Index>& shape, Reduction how) {
    all.push_back(sample(
        title + name, {in(shape, x), in(shape, y)},
        [=](X inputs) { return loss(inputs[0], inputs[1], how); },
        [=](B inputs) { return reduced(map(inputs[0], inputs[1], reference), how); }));
  };
  add("mean", {3, 5}, Reduction::mean);
  add("sum", {2, 3, 2}, Reduction::sum);
  add("none", {3, 2}, Reduction::none);
  add("rank 0", {}, Reduction::mean);
  add("empty", {0, 3}, Reduction::none);
  return all;
}

// What every loss of two tensors of one shape must refuse.
std::vector<BadCall> bad_pairs(const std::string& op, const PairLoss& loss,
                               const std::string& x = "input", const std::string& y = "target") {
  return {bad<GradError>(op + ": " + x + " is undefined",
                         [loss] { loss(Tensor(), of(3), Reduction::mean); }),
          bad<GradError>(op + ": " + y + " is undefined",
                         [loss] { loss(of(3), Tensor(), Reduction::mean); }),
          bad<ShapeError>(op + ": target", [loss] { loss(of(3, 5), of(5), Reduction::mean); }),
          bad<ShapeError>("shape: it is f32[3, 1] for f32[3, 5]",
                          [loss] { loss(of(3, 5), of(3, 1), Reduction::sum); }),
          bad<DTypeError>("f64[3] for input f32[3]",
                          [loss] { loss(of(3), of<DType::f64>(3), Reduction::mean); }),
          bad<DTypeError>(op + ": takes f32 or f64, not i64",
                          [loss] { loss(of<DType::i64>(3), of<DType::i64>(3), Reduction::mean); }),
          bad<ShapeError>(op + ": there is no mean over no elements: the losses are f32[0, 3]",
                          [loss] { loss(of(0, 3), of(0, 3), Reduction::mean); })};
}

Row mse_row() {
  return {"mse_loss",
          pair_samples("", mse_loss, [](double x, double y) { return (x - y) * (x - y); }),
          bad_pairs("mse_loss", mse_loss)};
}

Row l1_row() {
  return {"l1_loss", pair_samples("", l1_loss, [](double x, double y) { return std::fabs(x - y); }),
          bad_pairs("l1_loss", l1_loss)};
}

Row smooth_l1_row() {
  Row row{"smooth_l1_loss", {}, {}};
  for (const double beta : {1.1, 0.37, 2.6}) {
    const PairLoss loss = [beta](const Tensor& x, const Tensor& y, Reduction how) {
      return smooth_l1_loss(x, y, beta, how);
    };
    const PairReference reference = [beta](double x, double y) {
      const double d = std::fabs(x - y);
      return d < beta ? d * d / (2 * beta) : d - beta / 2;
    };
    for (Sample& each : pair_samples("beta " + std::to_string(beta) + ", ", loss, reference)) {
      row.samples.push_back(std::move(each));
    }
    row.bad_calls = bad_pairs("smooth_l1_loss", loss);
  }
  row.bad_calls.push_back(BAD(ValueError, "smooth_l1_loss: beta -1 must be finite and not negative",
                              smooth_l1_loss(of(3), of(3), -1)));
  row.bad_calls.push_back(
      BAD(ValueError, "smooth_l1_loss: beta nan", smooth_l1_loss(of(3), of(3), NAN)));
  return row;
}

Row kl_div_row() {
  const auto loss = [](bool log_target) -> PairLoss {
    return [log_target](const Tensor& x, const Tensor& y, Reduction how) {
      return kl_div(x, y, how, log_target);
    };
  };
  Row row{"kl_div",
          pair_samples(
              "", loss(false), [](double x, double y) { return y * (std::log(y) - x); },
              Domain::positive, Domain::positive),
          bad_pairs("kl_div", loss(false))};
  return with(row, pair_samples("log target, ", loss(true),
                                [](double x, double y) { return std::exp(y) * (y - x); }));
}

Row bce_row() {
  using Shape1 = std::vector<Index>;
  struct Form {
    std::string name;
    Shape1 shape, weight, pos_weight;
    Reduction reduction;
  };
  const std::vector<Form> forms = {{"mean", {3, 5}, {}, {}, Reduction::mean},
                                   {"sum", {2, 3, 2}, {}, {}, Reduction::sum},
                                   {"none", {3, 2}, {}, {}, Reduction::none},
                                   {"rank 0", {}, {}, {}, Reduction::mean},
                                   {"weight", {3, 5}, {3, 5}, {}, Reduction::mean},
                                   {"weight broadcast", {3, 5}, {3, 1}, {}, Reduction::sum},
                                   {"pos_weight", {3, 5}, {}, {5}, Reduction::mean},
                                   {"both weights", {3, 5}, {5}, {1, 5}, Reduction::none},
                                   {"empty", {0, 5}, {5}, {5}, Reduction::sum}};
  Row row{"binary_cross_entropy_with_logits", {}, {}};
  for (const Form& form : forms) {
    const bool weighted = !form.weight.empty(), lifted = !form.pos_weight.empty();
    std::vector<Input> inputs = {in(form.shape, Domain::nonzero), in(form.shape, Domain::positive)};
    if (weighted) inputs.push_back(in(form.weight, Domain::positive));
    if (lifted) inputs.push_back(in(form.pos_weight, Domain::positive));
    row.samples.push_back(sample(
        form.name, inputs,
        [=](X x) {
          return binary_cross_entropy_with_logits(x[0], x[1],
                                                  {.weight = weighted ? x[2] : Tensor(),
                                                   .pos_weight = lifted ? x.back() : Tensor(),
                                                   .reduction = form.reduction});
        },
        [=](B x) {
          const Block losses(form.shape, [&](const Place& p) {
            const double yes = 1 / (1 + std::exp(-x[0](p)));
            const double w = weighted ? x[2](p) : 1, lift = lifted ? x.back()(p) : 1;
            return -w * (lift * x[1](p) * std::log(yes) + (1 - x[1](p)) * std::log(1 - yes));
          });
          return reduced(losses, form.reduction);
        }));
  }
  const auto plain = [](const Tensor& x, const Tensor& y, Reduction how) {
    return binary_cross_entropy_with_logits(x, y, {.reduction = how});
  };
  row.bad_calls = bad_pairs("binary_cross_entropy_with_logits", plain, "logits", "targets");
  row.bad_calls.push_back(
      BAD(ShapeError,
          "binary_cross_entropy_with_logits: weight f32[2, 3] does not broadcast to logits f32[3]",
          binary_cross_entropy_with_logits(of(3), of(3), {.weight = of(2, 3)})));
  row.bad_calls.push_back(
      BAD(ShapeError, "binary_cross_entropy_with_logits: shapes [2] and [3] do not broadcast",
          binary_cross_entropy_with_logits(of(3), of(3), {.pos_weight = of(2)})));
  row.bad_calls.push_back(
      BAD(DTypeError, "pos_weight is f64[3] for logits f32[3]",
          binary_cross_entropy_with_logits(of(3), of(3), {.pos_weight = of<DType::f64>(3)})));
  return row;
}

// Scores [N, C, d..] (or [C]) against classes.
Block picked(const Block& x, const Targets& targets) {
  std::vector<Index> shape = x.shape();
  const Index axis = x.rank() == 1 ? 0 : 1;
  shape.erase(shape.begin() + axis);
  std::size_t i = 0;
  double weights = 0, total = 0;
  const Block losses(shape, [&](const Place& p) {
    const Index target = targets.classes[i++];
    if (target == targets.ignore_index) return 0.0;
    const double weight =
        targets.weight.empty() ? 1 : targets.weight[static_cast<std::size_t>(target)];
    weights += weight;
    total -= weight * x(with(p, axis, target));
    return -weight * x(with(p, axis, target));
  });
  if (targets.reduction == Reduction::none) return losses;
  if (targets.reduction == Reduction::mean) total = weights == 0 ? 0 : total / weights;
  return Block({}, std::vector<double>{total});
}

Row nll_row() {
  const auto form = [](const std::string& name, const std::vector<Index>& shape,
                       const std::vector<Index>& out, const Targets& targets) {
    return sample(
        name, {in(shape)},
        [=](X x) {
          NllLossOptions options{.ignore_index = targets.ignore_index,
                                 .reduction = targets.reduction};
          if (!targets.weight.empty()) {
            const Index count = static_cast<Index>(targets.weight.size());
            options.weight = to_tensor(Block({count}, targets.weight), x[0].dtype());
          }
          return nll_loss(x[0], ids(targets.classes, Shape(out)), options);
        },
        [=](B x) { return picked(x[0], targets); });
  };
  const std::vector<double> weight = {0.5, 2, 0.25};
  return {
      "nll_loss",
      {form("mean", {2, 3}, {2}, {.classes = {2, 0}}),
       form("sum", {2, 3}, {2}, {.classes = {1, 1}, .reduction = Reduction::sum}),
       form("none", {2, 3}, {2}, {.classes = {1, 2}, .reduction = Reduction::none}),
       form("weights", {2, 3}, {2}, {.classes = {1, 0}, .weight = weight}),
       form("ignored", {2, 3}, {2}, {.classes = {-100, 1}, .weight = weight}),
       form("ignored within range", {2, 3}, {2},
            {.classes = {0, 1}, .ignore_index = 0, .reduction = Reduction::none}),
       form("one vector", {3}, {}, {.classes = {2}, .weight = weight}),
       form("places", {2, 3, 5}, {2, 5},
            {.classes = {2, 0, 1, 1, 0, 2, -7, 2, 1, 0}, .weight = weight, .ignore_index = -7}),
       form("places, none", {2, 3, 1, 2}, {2, 1, 2},
            {.classes = {2, 0, 1, 1}, .weight = weight, .reduction = Reduction::none}),
       form("no rows", {0, 3}, {0}, {.classes = {}}),
       form("no rows, none", {0, 3}, {0}, {.classes = {}, .reduction = Reduction::none})},
      {BAD(IndexError, "nll_loss: target 3 at 1 is out of range [0, 3)",
           nll_loss(of(2, 3), ids(0, 3))),
       BAD(IndexError, "nll_loss: target -1 at 0", nll_loss(of(1, 3), ids(-1))),
       BAD(ShapeError, "nll_loss: input must be [C], [N, C] or [N, C, d..] with C > 0, not f32[]",
           nll_loss(of(), ids(0))),
       BAD(ShapeError, "with C > 0, not f32[2, 0]", nll_loss(of(2, 0), ids(0, 0))),
       BAD(ShapeError, "nll_loss: targets are i64[3] for input f32[2, 3]",
           nll_loss(of(2, 3), ids(0, 0, 0))),
       BAD(DTypeError, "nll_loss: targets must be i64, not f32[2]", nll_loss(of(2, 3), of(2))),
       BAD(DTypeError, "nll_loss: takes f32 or f64, not bool",
           nll_loss(of<DType::boolean>(2, 3), ids(0, 0))),
       BAD(ShapeError, "nll_loss: weight is f32[2] for 3 classes",
           nll_loss(of(2, 3), ids(0, 0), {.weight = of(2)})),
       BAD(DTypeError, "nll_loss: weight is f64[3] for input f32[2, 3]",
           nll_loss(of(2, 3), ids(0, 0), {.weight = of<DType::f64>(3)})),
       BAD(GradError, "nll_loss: input is undefined", nll_loss(Tensor(), ids(0))),
       BAD(GradError, "nll_loss: targets is undefined", nll_loss(of(2, 3), Tensor()))}};
}

}  // namespace

std::vector<Row> loss_rows() {
  return {cross_entropy_row(), mse_row(), l1_row(), smooth_l1_row(),
          kl_div_row(),        bce_row(), nll_row()};
}

}  // namespace heed::table
