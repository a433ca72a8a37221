#include "summariser.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/unfold.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

Index checked(Index query_width, Index key_width, Index window) {
  if (query_width > 0 && key_width > 0 && window > 0) return query_width;
  throw ValueError(
      fmt::format("smoothed_attention: query_width {}, key_width {} and window {} must be positive",
                  query_width, key_width, window));
}

const SummariserOptions& checked(const SummariserOptions& o) {
  for (const Index number : {o.source_words, o.target_words, o.source_width, o.target_width,
                             o.context, o.window, o.hidden}) {
    if (number > 0) continue;
    throw ValueError(fmt::format(
        "summariser: source_words {}, target_words {}, source_width {}, target_width {}, context "
        "{}, window {} and hidden {} must be positive",
        o.source_words, o.target_words, o.source_width, o.target_width, o.context, o.window,
        o.hidden));
  }
  if (o.start >= 0 && o.start < o.target_words) return o;
  throw ValueError(fmt::format("summariser: start {} is not in [0, {})", o.start, o.target_words));
}

nn::EmbeddingOptions table(Index words, Index width, DType dtype) {
  return {.count = words, .width = width, .dtype = dtype};
}

}  // namespace

SmoothedAttention::SmoothedAttention(Index query_width, Index key_width, Index window, DType dtype)
    : score(child<General>("score", checked(query_width, key_width, window), key_width, dtype)),
      window_(window) {}

Tensor SmoothedAttention::smoothed(const Tensor& x) const {
  check_batch("smoothed_attention", "x", x);
  if (x.size(1) == 0) return x;
  const Tensor around = unfold(pad(x, {0, 0, window_, window_}), 1, 2 * window_ + 1, 1);
  return sum(around, {-1}) / static_cast<double>(window_);
}

Attended SmoothedAttention::operator()(const Tensor& query, const Tensor& keys, const Mask& mask,
                                       bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "smoothed_attention";
  check_batch(kOp, "query", query);
  const DType dtype = score.weight.dtype();
  const auto [x, real] = masked_sequence(kOp, "keys", keys, score.weight.size(1), dtype, mask);
  check_rows(kOp, "query", query, score.weight.size(0), dtype);
  check_rows_of_batch(kOp, "query", query, keys.size(0));
  Attended out =
      attend(score, query, x, smoothed(x), {.mask = of_places(real), .need_weights = need_weights});
  out.context = forwarded(out.context);
  return out;
}

Summariser::Summariser(const SummariserOptions& o)
    : source_embedding(child<nn::Embedding>(
          "source_embedding", table(checked(o).source_words, o.source_width, o.dtype))),
      context_embedding(child<nn::Embedding>("context_embedding",
                                             table(o.target_words, o.target_width, o.dtype))),
      query_embedding(
          child<nn::Embedding>("query_embedding", table(o.target_words, o.target_width, o.dtype))),
      encoder(child<SmoothedAttention>("encoder", Checked("summariser", o.context) * o.target_width,
                                       o.source_width, o.window, o.dtype)),
      context_projection(child<nn::Linear>("context_projection",
                                           Checked("summariser", o.context) * o.target_width,
                                           o.hidden, false, o.dtype)),
      context_out(child<nn::Linear>("context_out", o.hidden, o.target_words, false, o.dtype)),
      encoder_out(child<nn::Linear>("encoder_out", o.source_width, o.target_words, false, o.dtype)),
      context_(o.context),
      start_(o.start) {}

SummariserOutput Summariser::operator()(const Tensor& source, const Tensor& previous,
                                        const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "summariser";
  check_defined(kOp, source, "source");
  if (source.rank() != 2) {
    throw ShapeError(fmt::format("{}: source must be [B, M], not {}", kOp, describe(source)));
  }
  const Tensor real = real_places(kOp, "source", mask, source.size(0), source.size(1));
  const Tensor words = real_ids(kOp, "source", source, source_embedding.weight.size(0), real);
  const Tensor before =
      real_ids(kOp, "previous", previous, query_embedding.weight.size(0), Tensor());
  check_rows_of_batch(kOp, "previous", previous, source.size(0));
  // Each step's last C words, their embeddings side by side: [B, T, C D].
  const Tensor all = pad(before, {context_ - 1, 0}, PadMode::constant, start_);
  const auto contexts = [&](const nn::Embedding& embedding) {
    if (previous.size(1) == 0) {
      const Index width = context_ * embedding.weight.size(1);
      return zeros(Shape{previous.size(0), 0, width}, embedding.weight.dtype());
    }
    const Tensor last = transpose(unfold(embedding(all), 1, context_, 1), 2, 3);
    return reshape(last, Shape{previous.size(0), previous.size(1), context_ * last.size(3)});
  };
  const Attended enc = encoder(contexts(query_embedding), source_embedding(words),
                               real.defined() ? Mask(real) : Mask(), need_weights);
  const Tensor h = tanh(context_projection(contexts(context_embedding)));
  return {forwarded(context_out(h) + encoder_out(enc.context)), enc.weights};
}

}  // namespace heed::attention
