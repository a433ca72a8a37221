#include "sequence_model.h"

#include <cmath>

#include "../autograd/factories.h"
#include "../autograd/methods.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"

namespace heed::pretrained {
namespace {

// [count, width] of the places first and on: the first half of the width sines, the other cosines.
Tensor sinusoids(Index first, Index count, Index width, bool last_is_slowest, DType dtype) {
  const double pairs = static_cast<double>(width / 2) - (last_is_slowest ? 1 : 0);
  const Tensor rates = exp(arange(width / 2, DType::f64) * (-std::log(10000.0) / pairs));
  const Tensor angles = unsqueeze(arange(first, first + count, 1, DType::f64), 1) * rates;
  return cat({sin(angles), cos(angles)}, 1).to(dtype);
}

attention::T5Options directed(attention::T5Options options, bool bidirectional) {
  options.bidirectional = bidirectional;
  return options;
}

}  // namespace

SequenceModel::SequenceModel(const SequenceModelOptions& options)
    : source(child<nn::Embedding>("source", options.source_words, options.stack.width)),
      target(options.shared
                 ? source
                 : child<nn::Embedding>("target", options.target_words, options.stack.width)),
      encoder(child<attention::TransformerEncoder>("encoder", options.encoder_layers, options.stack,
                                                   options.final_norm)),
      decoder(child<attention::TransformerDecoder>("decoder", options.decoder_layers, options.stack,
                                                   options.final_norm)),
      encoder_bias(options.biases.heads > 0
                       ? &child<attention::T5Bias>("encoder_bias", directed(options.biases, true))
                       : nullptr),
      decoder_bias(options.biases.heads > 0
                       ? &child<attention::T5Bias>("decoder_bias", directed(options.biases, false))
                       : nullptr),
      projection(options.tied ? nullptr
                              : &child<nn::Linear>("projection", options.stack.width,
                                                   options.target_words, options.projection_bias)),
      tied_bias(parameter("tied_bias", options.tied && options.projection_bias
                                           ? zeros(Shape{options.target_words})
                                           : Tensor())),
      options_(options) {}

Tensor SequenceModel::embedded(const nn::Embedding& table, const Tensor& ids, Index first) const {
  const Tensor x = table(ids) * options_.scale;
  if (encoder_bias != nullptr) return x;
  return x + sinusoids(options_.first_position + first, ids.size(1), x.size(2),
                       options_.last_is_slowest, x.dtype());
}

Tensor SequenceModel::logits(const Tensor& x) const {
  const Tensor scaled = x * options_.output_scale;
  if (projection != nullptr) return (*projection)(scaled);
  const Tensor out = target.scores(scaled);
  return tied_bias.defined() ? out + tied_bias : out;
}

Tensor SequenceModel::encode(const Tensor& ids, const std::vector<Index>& lengths) const {
  const Scope scope(*this, Scope::unhooked);
  return encoder(embedded(source, ids, 0), {.mask = attention::Mask::lengths(lengths, ids.size(1)),
                                            .position_bias = encoder_bias})
      .output;
}

// What is written by steps.
class SequenceModel::Writer : public nn::Decoding {
 public:
  Writer(const SequenceModel& model, attention::TransformerDecoder::State state)
      : model_(model), state_(std::move(state)) {}

  Tensor step(const Tensor& ids, Tensor* weights) override {
    const Tensor word = squeeze(model_.embedded(model_.target, unsqueeze(ids, 1), length_), 1);
    const attention::StackOutput out = model_.decoder.step(
        word, state_, {.need_weights = weights != nullptr}, {.position_bias = model_.decoder_bias});
    ++length_;  // a step that throws is none
    if (weights != nullptr) *weights = mean(out.weights.back(), 1);
    return model_.logits(out.output);
  }
  void reorder(const Tensor& rows, bool sources) override { state_.reorder(rows, sources); }

 private:
  const SequenceModel& model_;
  attention::TransformerDecoder::State state_;
  Index length_ = 0;
};

std::unique_ptr<nn::Decoding> SequenceModel::start(const Tensor& ids,
                                                   const std::vector<Index>& lengths) const {
  return std::make_unique<Writer>(
      *this, decoder.start(encode(ids, lengths), attention::Mask::lengths(lengths, ids.size(1))));
}

Tensor SequenceModel::operator()(const Tensor& source_ids, const Tensor& target_ids,
                                 const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const Tensor memory = encode(source_ids, lengths);
  const attention::Terms own{.mask = attention::Mask::causal(), .position_bias = decoder_bias},
      source_terms{.mask = attention::Mask::lengths(lengths, source_ids.size(1))};
  return forwarded(
      logits(decoder(embedded(target, target_ids, 0), memory, own, source_terms).output));
}

}  // namespace heed::pretrained
