#include "bert.h"

#include <fmt/format.h>

#include "../autograd/factories.h"
#include "../autograd/methods.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"

namespace heed::pretrained {

Bert::Bert(const BertOptions& options)
    : words(child<nn::Embedding>("words", options.vocabulary, options.stack.width)),
      positions(child<nn::Embedding>("positions", options.context, options.stack.width)),
      segments(child<nn::Embedding>("segments", options.segments, options.stack.width)),
      norm(child<attention::TransformerNorm>("norm", options.stack)),
      dropout(child<nn::Dropout>("dropout", options.stack.dropout)),
      encoder(child<attention::TransformerEncoder>("encoder", options.layers, options.stack)),
      pooler(options.pooler ? &child<nn::Linear>("pooler", options.stack.width, options.stack.width)
                            : nullptr),
      transform(options.masked_words
                    ? &child<nn::Linear>("transform", options.stack.width, options.stack.width)
                    : nullptr),
      transform_norm(options.masked_words
                         ? &child<attention::TransformerNorm>("transform_norm", options.stack)
                         : nullptr),
      words_bias(parameter("words_bias",
                           options.masked_words ? zeros(Shape{options.vocabulary}) : Tensor())),
      classifier(options.classes > 0
                     ? &child<nn::Linear>("classifier", options.stack.width, options.classes)
                     : nullptr),
      options_(options) {
  if (options.classes > 0 && !options.pooler) {
    throw ValueError("bert: a classifier reads what a pooler gives");
  }
}

BertOutput Bert::operator()(const Tensor& ids, const std::vector<Index>& lengths,
                            const Tensor& segment) const {
  const Scope scope(*this);
  if (ids.rank() != 2 || ids.size(1) > options_.context) {
    throw ShapeError(fmt::format("bert: ids {} must be [B, T], T at most {}",
                                 to_string(ids.shape()), options_.context));
  }
  if (segment.defined() && segment.shape() != ids.shape()) {
    throw ShapeError(fmt::format("bert: segments {} must have the shape of ids, {}",
                                 to_string(segment.shape()), to_string(ids.shape())));
  }
  const Tensor of_segments =
      segments(segment.defined() ? segment : zeros(Shape{1, ids.size(1)}, DType::i64));
  const Tensor x = norm(words(ids) + positions(arange(ids.size(1))) + of_segments);
  BertOutput out;
  out.hidden = encoder(dropout(x), {.mask = attention::Mask::lengths(lengths, ids.size(1))}).output;
  if (pooler != nullptr) out.pooled = tanh((*pooler)(select(out.hidden, 1, 0)));
  if (transform != nullptr) {
    const Tensor inner = attention::activated(options_.stack.activation, (*transform)(out.hidden));
    const Tensor turned = (*transform_norm)(inner);
    out.words = words.scores(turned) + words_bias;
  }
  if (classifier != nullptr) out.classified = (*classifier)(dropout(out.pooled));
  out.hidden = forwarded(out.hidden);
  return out;
}

}  // namespace heed::pretrained
