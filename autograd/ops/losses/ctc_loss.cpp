#include "ctc_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../../core/kernels/losses/ctc.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../index/index.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"

namespace heed {
namespace {

using Lengths = std::vector<Index>;

void check_lengths(const char* what, const Lengths& lengths, Index rows, Index most) {
  if (static_cast<Index>(lengths.size()) != rows) {
    throw ShapeError(fmt::format("ctc_loss: {} {} for {} rows", lengths.size(), what, rows));
  }
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] < 0 || lengths[n] > most) {
      throw ValueError(
          fmt::format("ctc_loss: {}: {} at {} is not in [0, {}]", what, lengths[n], n, most));
    }
  }
}

// Targets as [N, U], checked, with `blank` past each row's length.
Array check(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
            const Lengths& target_lengths, Index blank) {
  check_defined("ctc_loss", log_probs, "log_probs", targets, "targets");
  check_floating("ctc_loss", log_probs.dtype());
  if (log_probs.rank() != 3 || log_probs.size(2) == 0) {
    throw ShapeError(fmt::format("ctc_loss: log_probs must be [T, N, C] with C > 0, not {}",
                                 describe(log_probs)));
  }
  const Index N = log_probs.size(1), C = log_probs.size(2);
  if (targets.dtype() != DType::i64) {
    throw DTypeError(fmt::format("ctc_loss: targets must be i64, not {}", describe(targets)));
  }
  const bool joined = targets.rank() == 1;
  if (!joined && (targets.rank() != 2 || targets.size(0) != N)) {
    throw ShapeError(
        fmt::format("ctc_loss: targets must be [{}, U] or [U], not {}", N, describe(targets)));
  }
  if (blank < 0 || blank >= C) {
    throw ValueError(fmt::format("ctc_loss: blank {} is not in [0, {})", blank, C));
  }
  check_lengths("input_lengths", input_lengths, N, log_probs.size(0));
  check_lengths("target_lengths", target_lengths, N, targets.size(-1));
  checked_mul("ctc_loss", 3, targets.size(-1));  // places are counted by twos
  Index width = joined ? 0 : targets.size(1);
  if (joined) {
    Index total = 0;
    for (const Index length : target_lengths) {
      total += length;  // at most `most` each: the first that passes it ends this
      width = std::max(width, length);
      if (total > targets.size(0)) break;
    }
    if (total != targets.size(0)) {
      throw ShapeError(fmt::format("ctc_loss: target_lengths do not sum to the size of targets {}",
                                   describe(targets)));
    }
  }
  Array out = Array::full(Shape{N, width}, static_cast<double>(blank), DType::i64);
  const Array from = targets.array().contiguous();
  const auto* label = from.data<std::int64_t>();
  auto* row = out.mutable_data<std::int64_t>();
  for (std::size_t n = 0; n < target_lengths.size(); ++n, row += width) {
    for (Index u = 0; u < target_lengths[n]; ++u) {
      if (label[u] < 0 || label[u] >= C || label[u] == blank) {
        throw IndexError(
            fmt::format("ctc_loss: target {} at [{}, {}] is the blank or out of range [0, {})",
                        label[u], n, u, C));
      }
      row[u] = label[u];
    }
    label += joined ? target_lengths[n] : width;
  }
  return out;
}

constexpr double kNever = -1e30;  // finite: minus infinity less itself would be NaN

// log(exp(a) + exp(b) + exp(c))
Tensor log_add(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor top = maximum(a, maximum(b, c)).detach();
  return top + log(exp(a - top) + exp(b - top) + exp(c - top));
}

// The walk over steps in plain operators; places as in kernels::Ctc. Everything is [N, S] but where
// noted, and a place that a row does not have is reached from none.
class Walk {
 public:
  Walk(const Tensor& log_probs, const Array& targets, const Lengths& input_lengths,
       const Lengths& target_lengths, Index blank)
      : dtype_(log_probs.dtype()) {
    const Index T = log_probs.size(0), N = log_probs.size(1), U = targets.size(1);
    const Index S = 2 * U + 1;
    Array labels = Array::full(Shape{N, S}, static_cast<double>(blank), DType::i64);
    Array skip = Array::zeros(Shape{N, S}, DType::boolean), first = skip.clone(),
          last = skip.clone(), empty = skip.clone(),
          live = Array::zeros(Shape{T, N, 1}, DType::boolean), ends = live.clone();
    for (Index n = 0; n < N; ++n) {
      const auto* target = targets.data<std::int64_t>() + n * U;
      const Index steps = input_lengths[static_cast<std::size_t>(n)];
      const Index count = target_lengths[static_cast<std::size_t>(n)];
      for (Index u = 0; u < count; ++u) {
        labels.mutable_data<std::int64_t>()[n * S + 2 * u + 1] = target[u];
        skip.mutable_data<bool>()[n * S + 2 * u + 1] = u > 0 && target[u] != target[u - 1];
      }
      empty.mutable_data<bool>()[n * S] = count == 0;
      for (const Index s : {Index{0}, Index{1}}) {
        if (s <= 2 * count) {
          first.mutable_data<bool>()[n * S + s] = true;
          last.mutable_data<bool>()[n * S + 2 * count - s] = true;
        }
      }
      for (Index t = 0; t < steps; ++t) {
        live.mutable_data<bool>()[t * N + n] = true;
        ends.mutable_data<bool>()[t * N + n] = t == steps - 1;
      }
    }
    skip_ = skip;
    first_ = first;
    last_ = last;
    empty_ = empty;
    live_ = live;
    ends_ = ends;
    classes_ = Tensor(labels.unsqueeze(0).expand(Shape{T, N, S}));
    own_ = maximum(gather(log_probs, 2, classes_), number(kNever));
  }

  // The log-probability of each row, [N, 1]; [t]: that of the steps up to t, ending at a place.
  Tensor forward(std::vector<Tensor>* alphas = nullptr) const {
    const Index T = own_.size(0);
    Tensor alpha = where(empty_, number(0), number(kNever));  // before any step
    for (Index t = 0; t < T; ++t) {
      const Tensor reached = t == 0 ? where(first_, number(0), number(kNever))
                                    : log_add(alpha, shifted(alpha, 1),
                                              where(skip_, shifted(alpha, 2), number(kNever)));
      alpha = where(select(live_, 0, t), reached + select(own_, 0, t), alpha);
      if (alphas) alphas->push_back(alpha);
    }
    const Tensor ended = where(last_, alpha, number(kNever));
    const Tensor top = amax(ended, {1}, true).detach();
    return top + log(sum(exp(ended - top), {1}, true));
  }

  // The derivative of `losses` = -forward(), weighed by g [N]: minus the posterior of each place,
  // summed by class. [T, N, C]
  Tensor gradient(const Tensor& log_probs, const Tensor& g) const {
    std::vector<Tensor> posteriors(static_cast<std::size_t>(own_.size(0)));
    if (posteriors.empty()) return log_probs * 0;
    std::vector<Tensor> alphas;
    const Tensor total = forward(&alphas);
    const Tensor real = logical_not(total <= number(kNever / 2));  // NaN is
    const Tensor never = number(kNever);
    Tensor next = full(last_.shape(), kNever, dtype_);
    for (Index t = own_.size(0); t-- > 0;) {
      const Tensor skipped = shifted(where(skip_, next, never), -2);
      const Tensor beta = where(select(ends_, 0, t), where(last_, number(0), never),
                                log_add(next, shifted(next, -1), skipped));
      const Tensor counts = logical_and(real, select(live_, 0, t));
      const Tensor sure = where(counts, alphas[static_cast<std::size_t>(t)] + beta - total, never);
      posteriors[static_cast<std::size_t>(t)] = exp(sure);
      next = beta + select(own_, 0, t);
    }
    const Tensor weighed = stack(posteriors, 0) * -unsqueeze(g, 1);
    return scatter_add(zeros(log_probs.shape(), dtype_), 2, classes_, weighed);
  }

 private:
  Tensor number(double value) const { return tensor(value, dtype_); }

  // Place s gets what stands at s - by, kNever where there is nothing.
  Tensor shifted(const Tensor& x, Index by) const {
    const Index S = x.size(1), size = std::min(by < 0 ? -by : by, S);
    const Tensor edge = full(Shape{x.size(0), size}, kNever, dtype_);
    return by < 0 ? concat({narrow(x, 1, size, S - size), edge}, 1)
                  : concat({edge, narrow(x, 1, 0, S - size)}, 1);
  }

  DType dtype_;
  Tensor skip_, first_, last_;  // bool: reached from two before; may begin; may end
  Tensor empty_;                // bool: all that there is of no labels
  Tensor live_, ends_;          // bool [T, N, 1]: the step counts; it is the row's last
  Tensor classes_, own_;        // [T, N, S]: the class of a place, its log-probability
};

Tensor reduced(const Tensor& losses, const Lengths& target_lengths, const CtcLossOptions& options) {
  Tensor out = losses;
  if (options.zero_infinity) {
    const Tensor infinite =
        losses == full({}, std::numeric_limits<double>::infinity(), losses.dtype());
    out = where(infinite, tensor(0, losses.dtype()), losses);
  }
  if (options.reduction != Reduction::mean)
    return reduce_losses("ctc_loss", out, options.reduction);
  std::vector<double> counts;
  for (const Index length : target_lengths) {
    counts.push_back(static_cast<double>(std::max<Index>(1, length)));
  }
  return reduce_losses("ctc_loss", out / tensor(counts, out.shape(), out.dtype()), Reduction::mean);
}

}  // namespace

Tensor ctc_loss_plain(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                      const Lengths& target_lengths, const CtcLossOptions& options) {
  const Array labels = check(log_probs, targets, input_lengths, target_lengths, options.blank);
  const Tensor total =
      squeeze(Walk(log_probs, labels, input_lengths, target_lengths, options.blank).forward(), 1);
  const Tensor losses =
      where(total <= tensor(kNever / 2, total.dtype()),
            tensor(std::numeric_limits<double>::infinity(), total.dtype()), -total);
  return reduced(losses, target_lengths, options);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                const Lengths& target_lengths, const CtcLossOptions& options) {
  const Array labels = check(log_probs, targets, input_lengths, target_lengths, options.blank);
  const kernels::Ctc kernel(labels, input_lengths, target_lengths, options.blank);
  const kernels::Ctc::Result result = kernel.forward(log_probs.array());
  const Tensor losses = record(
      Op::ctc_loss, result.losses, {log_probs},
      [log_probs = Saved(log_probs), labels, input_lengths, target_lengths, blank = options.blank,
       kernel, losses = SavedOutput(result.losses), alpha = result.alpha](const Tensor& g) {
        if (!recording()) {
          return Tensor(kernel.backward(log_probs.array(), {losses.array(), alpha}, g.array()));
        }
        const Tensor& p = log_probs();
        return Walk(p, labels, input_lengths, target_lengths, blank).gradient(p, g);
      });
  return reduced(losses, target_lengths, options);
}

}  // namespace heed
