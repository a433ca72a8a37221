#include "variational.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/hard_choice.h"

namespace heed::attention {
namespace {

constexpr double kHidden = -1e30;  // a number, so that 0 of it is nothing

HardOptions of(const std::shared_ptr<Score>& score, HardEvaluation evaluation) {
  if (score != nullptr && score->uses_previous_weights()) {
    throw ValueError("VariationalAttention: takes no score that looks back at weights");
  }
  return {.score = score, .evaluation = evaluation};
}

// Where queries have an axis of samples before those of the keys, the mask is that of one sample.
HardCall of_one_sample(const HardCall& call, const Tensor& query, const Tensor& keys) {
  if (!keys.defined() || keys.rank() < 3 || query.rank() != keys.rank() + 1) return call;
  const Shape shape = scores_shape("VariationalAttention", query, keys);
  const Tensor allowed = call.mask.tensor(shape.without(0), "VariationalAttention");
  HardCall out = call;
  out.mask = allowed.defined() ? Mask(allowed) : Mask();
  return out;
}

// log softmax [.., Q, K], kHidden where `allowed` is false.
Tensor log_weights(const HardAttention& by, const Tensor& query, const Tensor& keys,
                   const Tensor& values, const Mask& mask) {
  const Memory memory(by.score, keys, values);
  const Shape shape = scores_shape("VariationalAttention", query, memory.keys());
  const Tensor allowed = (mask & memory.within_reach()).tensor(shape, "VariationalAttention");
  const Tensor scores = choosable_scores(memory, query, allowed);
  if (!allowed.defined()) return log_softmax(scores, -1);
  const Tensor e = where(allowed, scores, kHidden);
  return where(allowed, e - logsumexp(e, {-1}, true), kHidden);
}

Tensor summed(const Tensor& q, const Tensor& x) { return sum(where(q == q * 0, 0, q * x), {-1}); }

void check_places(const char* op, const Tensor& x, const Tensor& weights) {
  check_defined(op, x, "log_likelihoods");
  if (x.rank() > 0 && x.size(-1) == weights.size(-1)) return;
  throw ShapeError(fmt::format("{}: log_likelihoods must be [.., Q, K] as the weights {}, not {}",
                               op, describe(weights), describe(x)));
}

}  // namespace

VariationalAttention::VariationalAttention(const VariationalOptions& options)
    : prior(child<HardAttention>("prior", of(options.prior, options.evaluation))),
      posterior(child<HardAttention>("posterior", of(options.posterior, options.evaluation))) {}

VariationalOutput VariationalAttention::operator()(const Tensor& query, const Tensor& knowing,
                                                   const Tensor& keys, const Tensor& values,
                                                   const HardCall& given) const {
  const Scope scope(*this);
  check_defined("VariationalAttention", query, "query", knowing, "knowing");
  const HardCall call = of_one_sample(given, query, keys);
  const HardAttentionOutput seen = posterior(knowing, keys, values, call);
  VariationalOutput out;
  out.context = forwarded(seen.context);
  out.choice = seen.choice;
  out.posterior = seen.weights;
  out.log_prior = log_weights(prior, query, keys, values, call.mask);
  if (out.log_prior.shape() != out.posterior.shape()) {
    throw ShapeError(fmt::format(
        "VariationalAttention: query and knowing must be of one shape but for their widths, not {} "
        "and {}",
        describe(query), describe(knowing)));
  }
  const Tensor hidden = out.log_prior <= kHidden;
  out.prior = where(hidden, 0, exp(out.log_prior));
  const Tensor log_posterior = log_weights(posterior, knowing, keys, values, call.mask);
  out.kl = summed(out.posterior, log_posterior - out.log_prior);
  return out;
}

HardAttentionOutput VariationalAttention::predict(const Tensor& query, const Tensor& keys,
                                                  const Tensor& values,
                                                  const HardCall& call) const {
  check_defined("VariationalAttention", query, "query");
  return prior(query, keys, values, of_one_sample(call, query, keys));
}

Tensor VariationalOutput::bound(const Tensor& log_likelihoods) const {
  check_places("VariationalOutput::bound", log_likelihoods, posterior);
  return summed(posterior, log_likelihoods) - kl;
}

Tensor VariationalOutput::log_likelihood(const Tensor& log_likelihoods) const {
  check_places("VariationalOutput::log_likelihood", log_likelihoods, log_prior);
  const Tensor hidden = log_prior <= kHidden;
  const Tensor out = logsumexp(where(hidden, kHidden, log_likelihoods + log_prior), {-1});
  return where(heed::all(hidden, {-1}), 0, out);
}

}  // namespace heed::attention
