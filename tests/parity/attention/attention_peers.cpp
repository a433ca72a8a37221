#include "../../../autograd/ops/attention/attention.h"

#include <limits>

#include "../parity.h"

namespace heed::parity {
namespace {

// The context, of scores [.., Q, K].
torch::Tensor attended(const torch::Tensor& scores, const torch::Tensor& v) {
  return torch::matmul(torch::softmax(scores, -1), v);
}

// -infinity where query i comes before key j, aligned at the end.
torch::Tensor causally(const torch::Tensor& scores) {
  const auto Q = scores.size(-2), K = scores.size(-1);
  const auto open = torch::ones({Q, K}, torch::kBool).tril(K - Q);
  return scores.masked_fill(open.logical_not(), -std::numeric_limits<double>::infinity());
}

}  // namespace

std::vector<Peer> attention_peers() {
  const auto products = [](T x) { return 0.3 * torch::matmul(x[0], x[1].transpose(-2, -1)); };
  const auto sums = [](T x) {
    return 0.3 * torch::matmul(torch::tanh(x[0].unsqueeze(-2) + x[1].unsqueeze(-3)), x[2]);
  };
  const std::vector<std::vector<Index>> heads = {{2, 3, 67, 11}, {2, 3, 251, 11}, {2, 3, 251, 7}};
  const std::vector<std::vector<Index>> grouped = {{2, 1, 3, 5, 11}, {2, 1, 1, 13, 11}, {13, 7}};
  const std::vector<std::vector<Index>> biased = {
      {2, 3, 5, 11}, {2, 3, 13, 11}, {2, 3, 13, 7}, {3, 1, 13}};
  const std::vector<std::vector<Index>> additive = {{2, 19, 11}, {2, 71, 11}, {11}, {2, 71, 7}};
  AttentionOptions options, causal;
  options.scale = causal.scale = 0.3;
  causal.right = 0;
  return {
      peer(
          "dot_attention", heads, [=](H x) { return dot_attention(x[0], x[1], x[2], options); },
          [=](T x) { return attended(products(x), x[2]); }),
      peer(
          "dot_attention", heads, [=](H x) { return dot_attention(x[0], x[1], x[2], causal); },
          [=](T x) { return attended(causally(products(x)), x[2]); }),
      peer(
          "dot_attention", grouped, [=](H x) { return dot_attention(x[0], x[1], x[2], options); },
          [=](T x) { return attended(products(x), x[2]); }),
      peer(
          "dot_attention", biased,
          [=](H x) {
            AttentionOptions with = options;
            with.bias = x[3];
            return dot_attention(x[0], x[1], x[2], with);
          },
          [=](T x) { return attended(products(x) + x[3], x[2]); }),
      peer(
          "additive_attention", additive,
          [=](H x) { return additive_attention(x[0], x[1], x[2], x[3], options); },
          [=](T x) { return attended(sums(x), x[3]); }),
      peer(
          "additive_attention", additive,
          [=](H x) { return additive_attention(x[0], x[1], x[2], x[3], causal); },
          [=](T x) { return attended(causally(sums(x)), x[3]); }),
  };
}

}  // namespace heed::parity
