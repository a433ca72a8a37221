// Decoders behind the face of the other mechanisms: words are the queries, the source the keys.
#include "../../../attention/attention.h"
#include "../../../autograd/ops/shape/shape.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
const DType& kDType = mechanism_dtype();

// The last look's weights.
Attended looked(const StackOutput& out) {
  return {out.output, out.weights.empty() ? Tensor() : out.weights.back()};
}

Mechanism bahdanau() {
  auto made = std::make_shared<BahdanauDecoder>(BahdanauOptions{.word_width = kE,
                                                                .annotation_width = kE,
                                                                .state_width = 4,
                                                                .hidden = 3,
                                                                .readout = 2,
                                                                .dtype = kDType});
  Mechanism out{.modules = {made}, .by_place = true, .projects = true, .residual = true};
  out.name = "bahdanau_decoder";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return looked((*made)(query, keys, padding(lengths, keys), {.need_weights = weights}));
  };
  return out;
}

Mechanism luong(LuongAttention attention, bool feeding, std::shared_ptr<Score> score) {
  auto made = std::make_shared<LuongDecoder>(LuongOptions{.word_width = kE,
                                                          .source_width = kE,
                                                          .state_width = kE,
                                                          .layers = 2,
                                                          .out = 2,
                                                          .input_feeding = feeding,
                                                          .attention = attention,
                                                          .score = score,
                                                          .half_width = 3,
                                                          .dtype = kDType});
  Mechanism out{.modules = {made}, .projects = true, .residual = true};
  if (score) out.modules.push_back(score);
  out.by_place = attention != LuongAttention::global;
  out.sums_to_one = attention != LuongAttention::local_p;
  out.name = "luong_decoder";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return looked((*made)(query, keys, lengths, {.need_weights = weights}));
  };
  return out;
}

Mechanism location_aware(Index window, std::shared_ptr<Normaliser> normaliser,
                         std::shared_ptr<Score> score = nullptr) {
  auto made =
      std::make_shared<LocationAwareDecoder>(LocationAwareDecoderOptions{.word_width = kE,
                                                                         .annotation_width = kE,
                                                                         .state_width = 4,
                                                                         .hidden = 3,
                                                                         .readout = 2,
                                                                         .filters = 2,
                                                                         .kernel = 3,
                                                                         .window = window,
                                                                         .normaliser = normaliser,
                                                                         .score = score,
                                                                         .dtype = kDType});
  Mechanism out{
      .modules = {made}, .by_place = score == nullptr, .projects = true, .residual = true};
  out.name = "location_aware_decoder";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return looked((*made)(query, keys, padding(lengths, keys), {.need_weights = weights}));
  };
  return out;
}

Mechanism pointer_generator(bool coverage) {
  auto made = std::make_shared<PointerGenerator>(PointerGeneratorOptions{.word_width = kE,
                                                                         .annotation_width = kE,
                                                                         .state_width = 4,
                                                                         .hidden = 3,
                                                                         .vocabulary = 3,
                                                                         .coverage = coverage,
                                                                         .dtype = kDType});
  Mechanism out{.modules = {made}, .projects = true, .residual = true};
  out.name = "pointer_generator";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Tensor ids(Array::zeros(Shape{keys.size(0), keys.size(1)}, DType::i64));
    const PointerGeneratorOutput seen = (*made)(query, keys, ids, padding(lengths, keys));
    // All that it gives is checked.
    std::vector<Tensor> parts = {seen.output, unsqueeze(seen.gate, -1)};
    if (coverage) parts.push_back(unsqueeze(seen.coverage_loss, -1));
    return Attended{concat(parts, -1), weights ? seen.weights.front() : Tensor()};
  };
  return out;
}

Mechanism convolutional() {
  const ConvSeq2SeqOptions options{.width = kE, .hidden = 4, .layers = 2, .dtype = kDType};
  auto encoder = std::make_shared<ConvEncoder>(options);
  auto decoder = std::make_shared<ConvDecoder>(options);
  Mechanism out{.modules = {decoder, encoder}, .by_place = true, .projects = true};
  out.residual = true;
  out.name = "conv_seq2seq";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return looked((*decoder)(query, (*encoder)(keys, lengths), {.need_weights = weights}));
  };
  return out;
}

Mechanism monotonic_heads(bool look_back) {
  auto made = std::make_shared<MonotonicHeads>(
      MonotonicHeadsOptions{.width = kE, .heads = 3, .look_back = look_back, .dtype = kDType});
  Mechanism out{.modules = {made}, .by_place = true, .projects = true, .name = "monotonic_heads"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(query, keys, padding(lengths, keys), weights);
  };
  return out;
}

}  // namespace

Registry<Mechanism> decoder_mechanisms() {
  using Kind = LuongAttention;
  return {
      {"bahdanau_decoder", bahdanau},
      {"luong_decoder", [] { return luong(Kind::global, false, nullptr); }},
      {"luong_decoder_fed",
       [] { return luong(Kind::global, true, std::make_shared<General>(kE, kE, kDType)); }},
      {"luong_decoder_local_m", [] { return luong(Kind::local_m, true, nullptr); }},
      {"luong_decoder_local_p",
       [] { return luong(Kind::local_p, false, std::make_shared<General>(kE, kE, kDType)); }},
      {"location_aware_decoder", [] { return location_aware(0, nullptr); }},
      {"location_aware_decoder_smooth_window",
       [] { return location_aware(3, std::make_shared<NormalisedSigmoid>()); }},
      {"location_aware_decoder_sharp",
       [] { return location_aware(0, std::make_shared<Temperature>(1.7, true, kDType)); }},
      {"location_aware_decoder_content",
       [] {
         return location_aware(0, nullptr, std::make_shared<Additive>(4, kE, 3, true, kDType));
       }},
      {"pointer_generator", [] { return pointer_generator(true); }},
      {"pointer_generator_uncovered", [] { return pointer_generator(false); }},
      {"conv_seq2seq", convolutional},
      {"monotonic_heads", [] { return monotonic_heads(false); }},
      {"monotonic_heads_look_back", [] { return monotonic_heads(true); }},
  };
}

}  // namespace heed::attention
