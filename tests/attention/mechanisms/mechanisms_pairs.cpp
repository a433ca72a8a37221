// Mechanisms over two sequences, and of tokens in pairs.
#include "../../../attention/mechanisms/decoders/summariser.h"
#include "../../../attention/mechanisms/pairs/attention_over_attention.h"
#include "../../../attention/mechanisms/pairs/attention_sum.h"
#include "../../../attention/mechanisms/pairs/bi_directional.h"
#include "../../../attention/mechanisms/pairs/bimpm.h"
#include "../../../attention/mechanisms/pairs/co_attention_hierarchy.h"
#include "../../../attention/mechanisms/pairs/coupled.h"
#include "../../../attention/mechanisms/pairs/decomposable.h"
#include "../../../attention/mechanisms/pairs/entailment.h"
#include "../../../attention/mechanisms/pairs/esim.h"
#include "../../../attention/mechanisms/pairs/gated_attention.h"
#include "../../../attention/mechanisms/pairs/gated_matching.h"
#include "../../../attention/mechanisms/pairs/lstmn_pair.h"
#include "../../../attention/mechanisms/pairs/stacked.h"
#include "../../../attention/mechanisms/pairs/two_streams.h"
#include "../../../attention/mechanisms/pairs/two_way.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
const DType& kDType = mechanism_dtype();

// The keys look at themselves: both axes are masked.
template <class Kind>
Mechanism co_attention() {
  auto made = std::make_shared<Kind>(
      CoAttentionOptions{.question_width = kE, .image_width = kE, .hidden = 3, .dtype = kDType});
  Mechanism out{.modules = {made}, .pools = true, .name = "co_attention"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    const CoAttentionOutput seen = (*made)(keys, keys, real, real, weights);
    return Attended{concat({seen.image.context, seen.question.context}, -1), seen.image.weights};
  };
  return out;
}

Mechanism co_attention_hierarchy() {
  auto made = std::make_shared<CoAttentionHierarchy>(
      CoAttentionHierarchyOptions{.width = kE, .hidden = 2, .answers = 3, .dtype = kDType});
  Mechanism out{.modules = {made}, .pools = true, .by_place = true};
  out.name = "co_attention_hierarchy";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const CoAttentionHierarchyOutput seen =
        (*made)(keys, keys, lengths, padding(lengths, keys), weights);
    return Attended{seen.logits, seen.levels.back().question.weights};
  };
  return out;
}

// Documents are the keys, under always the same query, and each word is its own candidate.
Tensor question_for(const Tensor& keys) {
  std::vector<double> numbers;
  for (Index i = 0; i < kQ * kE; ++i) numbers.push_back(static_cast<double>(i * i % 7) / 4 - 0.7);
  return expand(tensor(numbers, {1, kQ, kE}, keys.dtype()), Shape{keys.size(0), kQ, kE});
}

Attended pointed(const Tensor& keys, const Tensor& s, const Mask& real, bool weights) {
  const Tensor places = real.tensor(s.shape());
  const Tensor seen = places.defined() ? where(unsqueeze(places, -1), keys, 0) : keys;
  return {squeeze(matmul(unsqueeze(s, 1), seen), 1), weights ? s : Tensor()};
}

Mechanism over_attention() {
  auto made = std::make_shared<AttentionOverAttention>();
  Mechanism out{.modules = {made}, .pools = true, .name = "attention_over_attention"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    return pointed(keys, (*made)(keys, question_for(keys), real).weights, real, weights);
  };
  return out;
}

Mechanism attention_sum() {
  auto made = std::make_shared<AttentionSum>();
  Mechanism out{.modules = {made}, .pools = true, .name = "attention_sum"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    const Tensor query = select(question_for(keys), 1, 0);
    return pointed(keys, (*made)(keys, query, real), real, weights);
  };
  return out;
}

Mechanism gated_reader() {
  auto made = std::make_shared<GatedAttentionReader>(
      GatedAttentionOptions{.input = kE, .hidden = 2, .hops = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .pools = true, .by_place = true, .name = "gated_attention"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Tensor s = (*made)(keys, question_for(keys), lengths).weights;
    return pointed(keys, s, padding(lengths, keys), weights);
  };
  return out;
}

// The tags of all tokens, as if each had the weights of its sentence.
Mechanism coupled() {
  auto made = std::make_shared<CoupledMultiLayerAttention>(
      CoupledOptions{.width = kE, .slices = 2, .hidden = 3, .layers = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .by_place = true, .name = "coupled"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const CoupledMultiLayerOutput seen = (*made)(keys, lengths, weights);
    const Tensor tags = concat({seen.aspect.logits, seen.opinion.logits}, -1);
    if (!weights) return Attended{tags};
    const Index T = keys.size(1);
    return Attended{tags, expand(unsqueeze(seen.aspect.weights.back(), 1), Shape{-1, T, T})};
  };
  return out;
}

// The keys ask themselves; what each word is itself stands beside it.
Mechanism bi_directional() {
  auto made = std::make_shared<BiDirectional>(kE, kDType);
  Mechanism out{.modules = {made}, .self = true, .name = "bi_directional"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    Attended seen = (*made)(keys, keys, real, real, weights);
    seen.context = narrow(seen.context, -1, kE, 3 * kE);
    return seen;
  };
  return out;
}

// The keys are the question.
Mechanism gated_matching() {
  auto made = std::make_shared<GatedMatching>(
      GatedMatchingOptions{.width = kE, .hidden = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .residual = true, .name = "gated_matching"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(query, keys, {}, padding(lengths, keys), weights);
  };
  return out;
}

Mechanism self_matching() {
  auto made = std::make_shared<SelfMatching>(
      SelfMatchingOptions{.width = kE, .hidden = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .by_place = true, .residual = true};
  out.name = "self_matching";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, lengths, weights);
  };
  return out;
}

Mechanism two_streams() {
  auto made = std::make_shared<TwoStreams>(TwoStreamsOptions{
      .width = kE, .other_width = kE, .heads = 3, .hidden = 2, .other_hidden = 3, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .projects = true, .residual = true};
  out.name = "two_streams";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    const TwoStreamsOutput seen = (*made)(keys, keys, real, real, weights);
    return Attended{concat({seen.x.context, seen.y.context}, -1), seen.x.weights};
  };
  return out;
}

Mechanism word_by_word() {
  auto made = std::make_shared<WordByWord>(kE, kDType);
  Mechanism out{.modules = {made}, .name = "word_by_word"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const EntailmentOutput seen = (*made)(keys, query, padding(lengths, keys), {}, weights);
    return Attended{seen.context, seen.weights};
  };
  return out;
}

// The premises are the keys.
template <class Kind>
Mechanism pair(const std::string& name, bool by_place, const std::shared_ptr<Kind>& made) {
  Mechanism out{.modules = {made}, .by_place = by_place, .residual = true, .name = name};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const PairOutput seen = (*made)(keys, query, lengths, {}, weights);
    return Attended{seen.context, seen.weights};
  };
  return out;
}

Mechanism decomposable() {
  return pair("decomposable_attention", false,
              std::make_shared<DecomposableAttention>(
                  DecomposableOptions{.width = kE, .hidden = 3, .dtype = kDType}));
}
Mechanism esim() {
  return pair("esim", true,
              std::make_shared<ESIM>(EsimOptions{.width = kE, .hidden = 2, .dtype = kDType}));
}
// Weights are shares of cosines.
Mechanism bimpm() {
  Mechanism out = pair("bimpm", true,
                       std::make_shared<BiMPM>(BiMPMOptions{
                           .width = kE, .hidden = 2, .perspectives = 3, .dtype = kDType}));
  out.any_sign = true;
  return out;
}
Mechanism two_way() { return pair("two_way", true, std::make_shared<TwoWay>(kE, 3, kDType)); }
Mechanism lstmn_pair() {
  return pair("lstmn_pair", true, std::make_shared<LSTMNPair>(kE, 3, kDType));
}

Mechanism stacked_attention() {
  auto made = std::make_shared<StackedAttention>(
      StackedOptions{.width = kE, .hidden = 3, .hops = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .residual = true, .name = "stacked_attention"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const StackedOutput seen = (*made)(query, keys, padding(lengths, keys), weights);
    return Attended{seen.context, weights ? seen.weights.back() : Tensor()};
  };
  return out;
}

Mechanism smoothed() {
  auto made = std::make_shared<SmoothedAttention>(kE, kE, 2, kDType);
  Mechanism out{.modules = {made}, .by_place = true, .name = "smoothed_attention"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(query, keys, padding(lengths, keys), weights);
  };
  return out;
}

}  // namespace

Registry<Mechanism> pair_mechanisms() {
  return {
      {"co_attention_parallel", co_attention<ParallelCoAttention>},
      {"co_attention_alternating", co_attention<AlternatingCoAttention>},
      {"co_attention_hierarchy", co_attention_hierarchy},
      {"attention_over_attention", over_attention},
      {"attention_sum", attention_sum},
      {"gated_attention", gated_reader},
      {"coupled", coupled},
      {"decomposable", decomposable},
      {"bi_directional", bi_directional},
      {"gated_matching", gated_matching},
      {"self_matching", self_matching},
      {"two_streams", two_streams},
      {"word_by_word", word_by_word},
      {"two_way", two_way},
      {"lstmn_pair", lstmn_pair},
      {"esim", esim},
      {"bimpm", bimpm},
      {"stacked_attention", stacked_attention},
      {"smoothed_attention", smoothed},
  };
}

}  // namespace heed::attention
