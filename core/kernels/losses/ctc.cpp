#include "ctc.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../parallel.h"

namespace heed::kernels {
namespace {

template <class T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

// log(exp(a) + exp(b) + exp(c)); NaN where one is.
template <class T>
T log_add(T a, T b, T c) {
  const T top = std::max({a, b, c});
  if (top == kNever<T>) return a + b + c;  // the largest of NaN and others may be either
  return top + std::log(std::exp(a - top) + std::exp(b - top) + std::exp(c - top));
}

}  // namespace

Ctc::Ctc(const Array& targets, std::vector<Index> input_lengths, std::vector<Index> target_lengths,
         Index blank)
    : targets_(targets.clone()),
      input_lengths_(std::move(input_lengths)),
      target_lengths_(std::move(target_lengths)),
      blank_(blank) {}

Index Ctc::label(Index row, Index place) const {
  if (place % 2 == 0) return blank_;
  return targets_.data<std::int64_t>()[row * targets_.size(1) + place / 2];
}

bool Ctc::may_skip(Index row, Index place) const {
  return place % 2 == 1 && place > 1 && label(row, place) != label(row, place - 2);
}

Ctc::Result Ctc::forward(const Array& log_probs) const {
  const Index T = log_probs.size(0), N = log_probs.size(1), C = log_probs.size(2);
  const Index S = 2 * targets_.size(1) + 1;
  const Array dense = log_probs.contiguous();
  Result out{Array::empty(Shape{N}, log_probs.dtype()),
             Array::empty(Shape{N, T, S}, log_probs.dtype())};
  visit_floating("ctc_loss", log_probs.dtype(), [&](auto zero) {
    using F = decltype(zero);
    const F* from = dense.data<F>();
    F* losses = out.losses.mutable_data<F>();
    F* alphas = out.alpha.mutable_data<F>();
    parallel_for(N, 1, [&](Index begin, Index end) {
      for (Index n = begin; n < end; ++n) {
        const Index steps = input_lengths_[static_cast<std::size_t>(n)];
        const Index places = 2 * target_lengths_[static_cast<std::size_t>(n)] + 1;
        F* alpha = alphas + n * T * S;
        for (Index t = 0; t < steps; ++t, alpha += S) {
          const F* p = from + (t * N + n) * C;
          const F* before = t == 0 ? alpha : alpha - S;
          for (Index s = 0; s < places; ++s) {
            const F reached = t == 0 ? (s < 2 ? F{0} : kNever<F>)
                                     : log_add(before[s], s > 0 ? before[s - 1] : kNever<F>,
                                               may_skip(n, s) ? before[s - 2] : kNever<F>);
            alpha[s] = reached + p[label(n, s)];
          }
        }
        if (steps == 0) {  // no step: only the empty sequence, for sure
          losses[n] = places == 1 ? F{0} : -kNever<F>;
          continue;
        }
        const F* last = alpha - S;
        losses[n] =
            -log_add(last[places - 1], places > 1 ? last[places - 2] : kNever<F>, kNever<F>);
      }
    });
  });
  return out;
}

// With beta(t, s) the log-probability of the steps after t from place s, the posterior of being at
// s is exp(alpha + beta + loss), and the gradient of log_probs[t, n, c] is minus its sum over the
// places of class c.
Array Ctc::backward(const Array& log_probs, const Result& result, const Array& g) const {
  const Index T = log_probs.size(0), N = log_probs.size(1), C = log_probs.size(2);
  const Index S = 2 * targets_.size(1) + 1;
  const Array dense = log_probs.contiguous();
  const Array factors = g.contiguous();
  Array out = Array::zeros(log_probs.shape(), log_probs.dtype());
  visit_floating("ctc_loss", log_probs.dtype(), [&](auto zero) {
    using F = decltype(zero);
    const F* from = dense.data<F>();
    const F* losses = result.losses.data<F>();
    const F* factor = factors.data<F>();
    F* to = out.mutable_data<F>();
    parallel_for(N, 1, [&](Index begin, Index end) {
      // beta of this step, and beta with the next step's own probability in it
      std::vector<F> beta(static_cast<std::size_t>(S));
      std::vector<F> next(static_cast<std::size_t>(S) + 2);
      for (Index n = begin; n < end; ++n) {
        const Index steps = input_lengths_[static_cast<std::size_t>(n)];
        const Index places = 2 * target_lengths_[static_cast<std::size_t>(n)] + 1;
        if (std::isinf(losses[n])) continue;
        std::fill(next.begin(), next.end(), kNever<F>);
        for (Index t = steps; t-- > 0;) {
          const F* p = from + (t * N + n) * C;
          const F* alpha = result.alpha.data<F>() + (n * T + t) * S;
          F* row = to + (t * N + n) * C;
          for (Index s = 0; s < places; ++s) {
            const F* after = next.data() + s;
            const bool skip = s + 2 < places && may_skip(n, s + 2);
            F& here = beta[static_cast<std::size_t>(s)];
            here = t == steps - 1 ? (s + 2 >= places ? F{0} : kNever<F>)
                                  : log_add(after[0], after[1], skip ? after[2] : kNever<F>);
            row[label(n, s)] -= factor[n] * std::exp(alpha[s] + here + losses[n]);
          }
          for (Index s = 0; s < places; ++s) {
            next[static_cast<std::size_t>(s)] = beta[static_cast<std::size_t>(s)] + p[label(n, s)];
          }
        }
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
