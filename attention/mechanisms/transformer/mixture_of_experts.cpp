#include "mixture_of_experts.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "mixture_of_experts";

const MixtureOfExpertsOptions& checked(const MixtureOfExpertsOptions& o) {
  if (o.width <= 0 || o.hidden <= 0 || o.experts <= 0) {
    throw ValueError(fmt::format("{}: width {}, hidden {} and experts {} must be positive", kOp,
                                 o.width, o.hidden, o.experts));
  }
  if (o.chosen <= 0 || o.chosen > o.experts) {
    throw ValueError(fmt::format("{}: chosen {} is not in [1, {}]", kOp, o.chosen, o.experts));
  }
  return o;
}

}  // namespace

Expert::Expert(const MixtureOfExpertsOptions& o)
    : linear1(child<nn::Linear>("linear1", checked(o).width, o.hidden, false, o.dtype)),
      linear_gate(is_gated(o.activation)
                      ? &child<nn::Linear>("linear_gate", o.width, o.hidden, false, o.dtype)
                      : nullptr),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      linear2(child<nn::Linear>("linear2", o.hidden, o.width, false, o.dtype)),
      activation_(o.activation) {}

Tensor Expert::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(feed_forward(x, linear1, linear_gate, activation_, dropout, linear2));
}

MixtureOfExperts::MixtureOfExperts(const MixtureOfExpertsOptions& o)
    : options_(checked(o)),
      router(child<nn::Linear>("router", o.width, o.experts, false, o.dtype)),
      experts(child<nn::ModuleListOf<Expert>>("experts")) {
  for (Index e = 0; e < o.experts; ++e) experts.add(o);
}

MixtureOutput MixtureOfExperts::operator()(const Tensor& given, const Tensor& real) const {
  const Scope scope(*this);
  check_rows(kOp, "x", given, options_.width, router.weight.dtype());
  const Shape tokens = given.shape().without(given.rank() - 1);
  if (real.defined() && (real.shape() != tokens || real.dtype() != DType::boolean)) {
    throw ShapeError(fmt::format("{}: real must be bool {}, not {}", kOp, heed::to_string(tokens),
                                 describe(real)));
  }
  const Index M = tokens.numel(), N = options_.experts, k = options_.chosen;
  const Tensor counts = real.defined() ? reshape(real, {M}) : Tensor();
  const Tensor rows = reshape(given, {M, options_.width});
  const Tensor x = counts.defined() ? where(unsqueeze(counts, 1), rows, 0) : rows;

  const Tensor logits = router(x);  // [M, N]
  const Picked best = topk(logits, k, -1);
  const Tensor gates = softmax(best.values, -1);  // [M, k]

  // Which rows each expert gets, and by which choice.
  const auto wanted = best.indices.array().to_vector<Index>();
  const auto counted = counts.defined() ? counts.array().to_vector<bool>() : std::vector<bool>();
  std::vector<std::vector<Index>> of(static_cast<std::size_t>(N)), choice(of);
  std::vector<Index> chosen(wanted.size(), -1);
  for (Index at = 0; at < M * k; ++at) {
    if (!counted.empty() && !counted[static_cast<std::size_t>(at / k)]) continue;
    const auto e = static_cast<std::size_t>(wanted[static_cast<std::size_t>(at)]);
    of[e].push_back(at / k);
    choice[e].push_back(at);
    chosen[static_cast<std::size_t>(at)] = wanted[static_cast<std::size_t>(at)];
  }
  MixtureOutput out;
  Tensor y = zeros({M, options_.width}, given.dtype());
  const Tensor gate = reshape(gates, {M * k, 1});
  double total = 0;
  for (const auto& own : of) {
    out.load.push_back(static_cast<Index>(own.size()));
    total += static_cast<double>(own.size());
  }
  std::vector<double> shares;
  for (std::size_t e = 0; e < of.size(); ++e) {
    shares.push_back(total == 0 ? 0 : static_cast<double>(out.load[e]) / total);
    if (of[e].empty()) continue;
    const Tensor index(Array::from(of[e]));
    const Tensor own = experts[e](index_select(x, 0, index));
    y = index_add(y, 0, index, own * index_select(gate, 0, Tensor(Array::from(choice[e]))));
  }
  // P_e over the tokens that count, N sum_e f_e P_e.
  Tensor p = softmax(logits, -1);
  if (counts.defined()) p = where(unsqueeze(counts, 1), p, 0);
  const double mean = total == 0 ? 0 : static_cast<double>(k) / total;
  const Tensor f = tensor(shares, {N}, given.dtype());
  out.balance = sum(sum(p, {0}) * f) * (mean * static_cast<double>(N));

  Shape by_choice = tokens;
  by_choice.push_back(k);
  out.chosen = reshape(Tensor(Array::from(chosen)), by_choice);
  out.gates = reshape(gates, by_choice);
  out.output = forwarded(reshape(y, given.shape()));
  return out;
}

}  // namespace heed::attention
