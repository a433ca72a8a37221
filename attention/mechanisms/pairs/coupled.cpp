#include "coupled.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../score.h"

namespace heed::attention {
namespace {

const CoupledOptions& checked(const CoupledOptions& o) {
  if (o.width > 0 && o.slices > 0 && o.hidden >= 0 && o.layers > 0 && o.labels > 0) return o;
  throw ValueError(fmt::format(
      "coupled: width {}, slices {}, layers {} and labels {} must be positive, hidden {} not "
      "negative",
      o.width, o.slices, o.layers, o.labels, o.hidden));
}

Index twice(const CoupledOptions& o) { return 2 * Checked("coupled", o.slices); }
Index hidden(const CoupledOptions& o) { return o.hidden == 0 ? twice(o) : o.hidden; }

Tensor begin(const Shape& shape, Index in, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

// h_i^T W_k u, [B, T, K]: the prototypes meet the slices first, once for all tokens.
Tensor bilinear(const Tensor& tokens, const Tensor& slices, const Tensor& u) {
  const Index K = slices.size(0), d = slices.size(1);
  const Tensor asked = linear(u, reshape(slices, Shape{K * d, d}));  // [B or 1, K d]
  return matmul(tokens, transpose(reshape(asked, Shape{u.size(0), K, d}), 1, 2));
}

}  // namespace

CoupledAttention::CoupledAttention(const CoupledOptions& o)
    : prototype(parameter("prototype", begin({checked(o).width}, o.width, o.dtype))),
      own(parameter("own", begin({o.slices, o.width, o.width}, o.width, o.dtype))),
      other(parameter("other", begin({o.slices, o.width, o.width}, o.width, o.dtype))),
      score_vector(parameter("score_vector", begin({hidden(o)}, hidden(o), o.dtype))),
      gru(child<nn::GRU>("gru",
                         nn::GRUOptions{.input = twice(o), .hidden = hidden(o), .dtype = o.dtype})),
      transfer(child<nn::Linear>("transfer", o.width, o.width, false, o.dtype)),
      out(child<nn::Linear>("out", hidden(o), o.labels, false, o.dtype)) {}

Tensor CoupledAttention::features(const Tensor& tokens, const std::vector<Index>& lengths,
                                  const Tensor& u, const Tensor& u_other) const {
  const Tensor beta =
      tanh(concat({bilinear(tokens, own, u), bilinear(tokens, other, u_other)}, -1));
  return gru(beta, lengths).output;
}

Tensor CoupledAttention::weigh(const Tensor& features, const Tensor& real) const {
  return softmax(matmul(features, score_vector), 1, real);
}

CoupledMultiLayerAttention::CoupledMultiLayerAttention(const CoupledOptions& o)
    : aspect(child<CoupledAttention>("aspect", o)),
      opinion(child<CoupledAttention>("opinion", o)),
      layers_(o.layers),
      coupled_(o.coupled) {}

CoupledMultiLayerOutput CoupledMultiLayerAttention::operator()(const Tensor& tokens,
                                                               const std::vector<Index>& lengths,
                                                               bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "coupled";
  check_batch(kOp, "tokens", tokens);
  const Mask mask = first_places(kOp, "tokens", tokens, lengths);
  const auto [h, real] = masked_sequence(kOp, "tokens", tokens, aspect.prototype.size(0),
                                         aspect.prototype.dtype(), mask);
  struct Side {
    const CoupledAttention& attention;
    CoupledSide& found;
    Tensor u, r;
  };
  CoupledMultiLayerOutput tags;
  Side a{aspect, tags.aspect, unsqueeze(aspect.prototype, 0), {}};
  Side p{opinion, tags.opinion, unsqueeze(opinion.prototype, 0), {}};
  for (Index layer = 0; layer < layers_; ++layer) {
    if (layer > 0) {
      for (Side* side : {&a, &p}) {
        side->u = tanh(side->attention.transfer(side->u)) + side->found.context;  // [B, d]
      }
    }
    a.r = a.attention.features(h, lengths, a.u, coupled_ ? p.u : a.u);
    p.r = p.attention.features(h, lengths, p.u, coupled_ ? a.u : p.u);
    for (Side* side : {&a, &p}) {
      const Tensor weights = side->attention.weigh(side->r, real);
      side->found.context = squeeze(matmul(unsqueeze(weights, 1), h), 1);
      if (need_weights) side->found.weights.push_back(weights);
    }
  }
  for (Side* side : {&a, &p}) side->found.logits = side->attention.out(side->r);
  tags.aspect.logits = forwarded(tags.aspect.logits);
  return tags;
}

}  // namespace heed::attention
