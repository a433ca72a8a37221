#include "conv_seq2seq.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/glu.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/decoder_checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "conv_seq2seq";
constexpr double kHalf = 0.70710678118654752440;  // sqrt(0.5) keeps the variance of a sum of two

ConvSeq2SeqOptions checked(ConvSeq2SeqOptions options, bool needs_middle) {
  if (options.width <= 0 || options.layers <= 0 || options.kernel <= 0 || options.hidden < 0) {
    throw ValueError(fmt::format(
        "{}: width {}, layers {} and kernel {} must be positive, hidden {} not negative", kOp,
        options.width, options.layers, options.kernel, options.hidden));
  }
  if (options.attentions <= 0) {
    throw ValueError(fmt::format("{}: attentions {} must be positive", kOp, options.attentions));
  }
  if (needs_middle && options.kernel % 2 == 0) {
    throw ValueError(fmt::format("{}: the encoder's kernel {} must be odd", kOp, options.kernel));
  }
  if (options.hidden == 0) options.hidden = options.width;
  return options;
}

// z, with 1/m of its gradient.
Tensor with_gradient_over(Index m, const Tensor& z) {
  if (m == 1 || !z.requires_grad()) return z;
  const Tensor number = z.detach();
  return number + (z - number) * (1.0 / static_cast<double>(m));
}

// x [B, T, hidden] -> [B, T', hidden].
Tensor gated(const nn::WeightNormConv1d& convolution, const Tensor& x) {
  return transpose(glu(convolution(transpose(x, 1, 2)), 1), 1, 2);
}

}  // namespace

ConvEncoder::ConvEncoder(const ConvSeq2SeqOptions& options)
    : options_(checked(options, true)),
      input_projection(child<nn::WeightNormLinear>("input_projection", options_.width,
                                                   options_.hidden, options_.weight_norm, true,
                                                   options_.dtype)),
      convolutions(child<nn::ModuleListOf<nn::WeightNormConv1d>>("convolutions")),
      output_projection(child<nn::WeightNormLinear>("output_projection", options_.hidden,
                                                    options_.width, options_.weight_norm, true,
                                                    options_.dtype)),
      dropout(child<nn::Dropout>("dropout", options_.dropout)) {
  for (Index i = 0; i < options_.layers; ++i) {
    convolutions.add(options_.hidden, 2 * Checked(kOp, options_.hidden), options_.kernel,
                     options_.weight_norm, Conv1dOptions{.padding = options_.kernel / 2}, true,
                     options_.dtype);
  }
}

Memory ConvEncoder::operator()(const Tensor& x, const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, input_projection.bias.dtype());
  if (!lengths.empty() && static_cast<Index>(lengths.size()) != x.size(0)) {
    throw ShapeError(fmt::format("{}: {} lengths for {}", kOp, lengths.size(), describe(x)));
  }
  const auto real = [&](const Tensor& y) { return zero_elsewhere(kOp, y, lengths); };
  const Tensor e = dropout(real(x));
  if (x.size(1) == 0 || x.size(0) == 0) return MultiStepAttention::memory(forwarded(e), e, lengths);
  Tensor h = real(input_projection(e));
  for (const nn::WeightNormConv1d& convolution : convolutions) {
    h = real((gated(convolution, dropout(h)) + h) * kHalf);
  }
  const Tensor z = with_gradient_over(options_.attentions, forwarded(real(output_projection(h))));
  return MultiStepAttention::memory(z, z + e, lengths);
}

ConvDecoderLayer::ConvDecoderLayer(Index hidden, Index width, Index kernel, bool scale, DType dtype,
                                   bool weight_norm)
    : convolution(child<nn::WeightNormConv1d>("convolution", hidden, 2 * Checked(kOp, hidden),
                                              kernel, weight_norm, Conv1dOptions{}, true, dtype)),
      attend(child<MultiStepAttention>("attend", hidden, width, scale, dtype, weight_norm)) {}

Attended ConvDecoderLayer::operator()(const Tensor& x, const Tensor& g, const Memory& source,
                                      const Terms& terms) const {
  const Scope scope(*this);
  return attend(gated(convolution, x), g, source, terms);
}

ConvDecoder::ConvDecoder(const ConvSeq2SeqOptions& options)
    : options_(checked(options, false)),
      input_projection(child<nn::WeightNormLinear>("input_projection", options_.width,
                                                   options_.hidden, options_.weight_norm, true,
                                                   options_.dtype)),
      layers(child<nn::ModuleListOf<ConvDecoderLayer>>("layers")),
      output_projection(child<nn::WeightNormLinear>("output_projection", options_.hidden,
                                                    options_.width, options_.weight_norm, true,
                                                    options_.dtype)),
      dropout(child<nn::Dropout>("dropout", options_.dropout)) {
  for (Index i = 0; i < options_.layers; ++i) {
    layers.add(options_.hidden, options_.width, options_.kernel, options_.scale, options_.dtype,
               options_.weight_norm);
  }
}

void ConvDecoder::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  for (Tensor& x : past) x = index_select(x, 0, rows);
  memory = carried;
}

ConvDecoder::State ConvDecoder::start(const Memory& source) const {
  for (const Tensor* x : {&source.keys(), &source.values()}) {
    check_batch(kOp, "source", *x);
    check_rows(kOp, "source", *x, options_.width, input_projection.bias.dtype());
  }
  const Shape shape{source.keys().size(0), options_.kernel - 1, options_.hidden};
  return {std::vector<Tensor>(layers.size(), zeros(shape, input_projection.bias.dtype())), source};
}

StackOutput ConvDecoder::step(const Tensor& word, State& state, const Terms& terms) const {
  const Scope scope(*this);
  check_layers(kOp, state.past.size(), layers.size());
  check_word(kOp, word, state.memory.keys().size(0), options_.width, input_projection.bias.dtype());
  StackOutput out = run(unsqueeze(word, 1), state, terms);
  out.output = squeeze(out.output, 1);
  for (Tensor& weights : out.weights) weights = squeeze(weights, 1);
  return out;
}

StackOutput ConvDecoder::run(const Tensor& target, State& state, const Terms& terms,
                             const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  check_layers(kOp, state.past.size(), layers.size());
  const Tensor words = checked_words(kOp, target, state.memory.keys().size(0), options_.width,
                                     input_projection.bias.dtype(), lengths);
  check_looks_anew(kOp, state.memory.score(), terms.normaliser);
  const Index B = words.size(0), T = words.size(1);
  for (const Tensor& past : state.past) {
    check_state(kOp, "a layer's past", past, Shape{B, options_.kernel - 1, options_.hidden},
                words.dtype());
  }
  const Tensor g = dropout(words);
  StackOutput out;
  if (B == 0 || T == 0) {
    const Tensor none =
        zeros(Shape{B, T, state.memory.keys().size(1)}, input_projection.bias.dtype());
    if (terms.need_weights) out.weights.assign(layers.size(), none);
    out.output = forwarded(g);
    return out;
  }
  Tensor h = input_projection(g);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Tensor read = concat({state.past[i], dropout(h)}, 1);
    const Attended seen = named(kOp, [&] { return layers[i](read, g, state.memory, terms); });
    state.past[i] = narrow(read, 1, T, options_.kernel - 1);
    if (terms.need_weights) out.weights.push_back(seen.weights);
    h = (seen.context + h) * kHalf;
  }
  out.output = forwarded(zero_elsewhere(kOp, output_projection(h), lengths));
  return out;
}

StackOutput ConvDecoder::operator()(const Tensor& words, const Memory& source, const Terms& terms,
                                    const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  State state = start(source);
  return run(words, state, terms, lengths);
}

}  // namespace heed::attention
