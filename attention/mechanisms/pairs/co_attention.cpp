#include "co_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

const CoAttentionOptions& checked(const CoAttentionOptions& o) {
  if (o.question_width > 0 && o.image_width > 0 && o.hidden > 0) return o;
  throw ValueError(
      fmt::format("co_attention: question_width {}, image_width {} and hidden {} must be positive",
                  o.question_width, o.image_width, o.hidden));
}

// As a Linear's weight begins.
Tensor begin(const Shape& shape, Index in, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

// softmax(w^T tanh(before)) of the rows of x, and their sum.
Attended weighed(const Tensor& x, const Tensor& real, const Tensor& before, const Tensor& w,
                 bool need_weights) {
  const Tensor weights = softmax(matmul(tanh(before), w), 1, real);
  return {squeeze(matmul(unsqueeze(weights, 1), x), 1), need_weights ? weights : Tensor()};
}

struct Both {
  MaskedSequence question, image;
};

Both both(const Tensor& question, Index question_width, const Tensor& image, Index image_width,
          DType dtype, const Mask& question_mask, const Mask& image_mask) {
  constexpr const char* kOp = "co_attention";
  Both out{masked_sequence(kOp, "question", question, question_width, dtype, question_mask),
           masked_sequence(kOp, "image", image, image_width, dtype, image_mask)};
  check_rows_of_batch(kOp, "image", image, question.size(0));
  return out;
}

}  // namespace

ParallelCoAttention::ParallelCoAttention(const CoAttentionOptions& o)
    : affinity(parameter(
          "affinity", begin({checked(o).question_width, o.image_width}, o.image_width, o.dtype))),
      question_projection(
          child<nn::Linear>("question_projection", o.question_width, o.hidden, false, o.dtype)),
      image_projection(
          child<nn::Linear>("image_projection", o.image_width, o.hidden, false, o.dtype)),
      question_vector(parameter("question_vector", begin({o.hidden}, o.hidden, o.dtype))),
      image_vector(parameter("image_vector", begin({o.hidden}, o.hidden, o.dtype))) {}

CoAttentionOutput ParallelCoAttention::operator()(const Tensor& question, const Tensor& image,
                                                  const Mask& question_mask, const Mask& image_mask,
                                                  bool need_weights) const {
  const Scope scope(*this);
  const auto [q, v] = both(question, affinity.size(0), image, affinity.size(1), affinity.dtype(),
                           question_mask, image_mask);
  // Places that do not count are 0, and so are their rows of all three: none has a bias.
  const Tensor C = tanh(matmul(matmul(q.x, affinity), transpose(v.x, 1, 2)));  // [B, T, N]
  const Tensor from_q = question_projection(q.x);                              // [B, T, hidden]
  const Tensor from_v = image_projection(v.x);                                 // [B, N, hidden]
  CoAttentionOutput out;
  out.image =
      weighed(v.x, v.real, from_v + matmul(transpose(C, 1, 2), from_q), image_vector, need_weights);
  out.question = weighed(q.x, q.real, from_q + matmul(C, from_v), question_vector, need_weights);
  out.image.context = forwarded(out.image.context);
  return out;
}

GuidedAttention::GuidedAttention(Index width, std::optional<Index> guide_width, Index hidden,
                                 DType dtype)
    : projection(child<nn::Linear>("projection", width, hidden, false, dtype)),
      guide_projection(
          parameter("guide_projection",
                    guide_width ? begin({hidden, *guide_width}, *guide_width, dtype) : Tensor())),
      score_vector(parameter("score_vector", begin({hidden}, hidden, dtype))) {}

Attended GuidedAttention::operator()(const Tensor& x, const Tensor& real, const Tensor& guide,
                                     bool need_weights) const {
  const Scope scope(*this);
  Tensor before = projection(x);
  if (guide.defined()) before = before + unsqueeze(linear(guide, guide_projection), 1);
  Attended out = weighed(x, real, before, score_vector, need_weights);
  out.context = forwarded(out.context);
  return out;
}

AlternatingCoAttention::AlternatingCoAttention(const CoAttentionOptions& o)
    : summarise(child<GuidedAttention>("summarise", checked(o).question_width, std::nullopt,
                                       o.hidden, o.dtype)),
      to_image(
          child<GuidedAttention>("to_image", o.image_width, o.question_width, o.hidden, o.dtype)),
      to_question(child<GuidedAttention>("to_question", o.question_width, o.image_width, o.hidden,
                                         o.dtype)) {}

CoAttentionOutput AlternatingCoAttention::operator()(const Tensor& question, const Tensor& image,
                                                     const Mask& question_mask,
                                                     const Mask& image_mask,
                                                     bool need_weights) const {
  const Scope scope(*this);
  const auto [q, v] =
      both(question, summarise.projection.weight.size(1), image, to_image.projection.weight.size(1),
           summarise.score_vector.dtype(), question_mask, image_mask);
  CoAttentionOutput out;
  out.summary = summarise(q.x, q.real, Tensor(), need_weights);
  out.image = to_image(v.x, v.real, out.summary.context, need_weights);
  out.question = to_question(q.x, q.real, out.image.context, need_weights);
  out.image.context = forwarded(out.image.context);
  return out;
}

}  // namespace heed::attention
