// Mechanisms over sets, and by way of latents.
#include "../../../attention/mechanisms/memory/dynamic_memory.h"
#include "../../../attention/mechanisms/sets/hopfield.h"
#include "../../../attention/mechanisms/sets/neural_process.h"
#include "../../../attention/mechanisms/sets/perceiver.h"
#include "../../../attention/mechanisms/sets/set_transformer.h"
#include "../../../attention/mechanisms/sets/slot_attention.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
const DType& kDType = mechanism_dtype();

SetOptions small() { return {.width = kE, .heads = 3, .dtype = kDType}; }

Mechanism induced_set() {
  auto made = std::make_shared<InducedSetBlock>(small(), 2);
  Mechanism out{.modules = {made}, .self = true, .projects = true, .residual = true};
  out.name = "set_transformer";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

// One seed's context and weights.
Attended of_one(Attended seen) {
  seen.context = squeeze(seen.context, 1);
  return seen;
}

Mechanism set_pooling() {
  auto made = std::make_shared<SetPooling>(small());
  Mechanism out{.modules = {made}, .pools = true, .projects = true, .residual = true};
  out.name = "set_transformer";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return of_one((*made)(keys, padding(lengths, keys), weights));
  };
  return out;
}

Mechanism set_transformer(Index points) {
  auto made = std::make_shared<SetTransformer>(SetTransformerOptions{
      .blocks = small(), .points = points, .encoder = 1, .seeds = 1, .decoder = 1});
  Mechanism out{.modules = {made}, .pools = true, .projects = true, .residual = true};
  out.name = "set_transformer";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return of_one((*made)(keys, padding(lengths, keys), weights));
  };
  return out;
}

PerceiverOptions latents(Index query_width) {
  return {.input_width = kE,
          .latents = 2,
          .width = 4,
          .heads = 2,
          .blocks = 2,
          .layers = 1,
          .hidden = 3,
          .query_width = query_width,
          .dtype = kDType};
}

Mechanism perceiver() {
  auto made = std::make_shared<Perceiver>(latents(0));
  Mechanism out{.modules = {made}, .pools = true, .projects = true, .residual = true};
  out.name = "perceiver";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    Attended seen = (*made)(keys, padding(lengths, keys), weights);
    seen.context = sum(seen.context, {1});
    return seen;
  };
  return out;
}

// Its answers, as if they had the mean weights of the latents that they look at.
Mechanism perceiver_io() {
  auto made = std::make_shared<Perceiver>(latents(kE));
  Mechanism out{.modules = {made}, .projects = true, .residual = true, .name = "perceiver"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    Attended seen = (*made)(query, keys, real, weights);
    if (weights) {
      const Tensor read = sum((*made)(keys, real, true).weights, {1, 2}) / 4;  // [B, K]
      seen.weights = expand(unsqueeze(read, 1), Shape{-1, query.size(1), -1});
    }
    return seen;
  };
  return out;
}

// The queries are the slots at the beginning.
Mechanism slots() {
  auto made = std::make_shared<SlotAttention>(SlotAttentionOptions{
      .input = kE, .width = kE, .hidden = 3, .times = 2, .eps = 0, .dtype = kDType});
  Mechanism out{.modules = {made}, .projects = true, .residual = true, .name = "slot_attention"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(query, keys, padding(lengths, keys), weights);
  };
  return out;
}

HopfieldOptions patterns() {
  return {.state_width = kE, .head_width = 2, .heads = 3, .updates = 3, .dtype = kDType};
}

Mechanism hopfield() {
  auto made = std::make_shared<Hopfield>(patterns());
  Mechanism out{.modules = {made}, .projects = true, .name = "hopfield"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(query, keys, padding(lengths, keys), weights);
  };
  return out;
}

Mechanism hopfield_pooling() {
  auto made = std::make_shared<HopfieldPooling>(patterns());
  Mechanism out{.modules = {made}, .pools = true, .projects = true, .name = "hopfield"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

// Keys are points, and part of them what is known there; queries are where it is asked for.
Mechanism neural_process() {
  auto made = std::make_shared<NeuralProcess>(NeuralProcessOptions{
      .input = kE, .output = 2, .width = 6, .heads = 3, .latent = false, .dtype = kDType});
  Mechanism out{.modules = {made}, .projects = true, .residual = true, .name = "neural_process"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const NeuralProcessOutput seen =
        (*made)(keys, narrow(keys, -1, 0, 2), query, Tensor(), lengths, weights);
    return Attended{concat({seen.mean, seen.deviation}, -1), seen.weights};
  };
  return out;
}

// Facts are the keys, under always the same question.
Mechanism dynamic_memory() {
  auto made = std::make_shared<DynamicMemory>(
      DynamicMemoryOptions{.width = kE, .hidden = 3, .hops = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .pools = true, .by_place = true, .projects = true};
  out.residual = true;
  out.name = "dynamic_memory";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Tensor question =
        expand(tensor({0.7, -0.3, 0.2, 0.9, -1.1, 0.4}, {1, kE}, keys.dtype()), {keys.size(0), kE});
    const DynamicMemoryOutput seen = (*made)(keys, question, padding(lengths, keys), weights);
    return Attended{seen.memory, weights ? seen.weights.back() : Tensor()};
  };
  return out;
}

}  // namespace

Registry<Mechanism> set_mechanisms() {
  return {
      {"induced_set", induced_set},
      {"set_pooling", set_pooling},
      {"set_transformer", [] { return set_transformer(0); }},
      {"set_transformer_induced", [] { return set_transformer(2); }},
      {"perceiver", perceiver},
      {"perceiver_io", perceiver_io},
      {"slot_attention", slots},
      {"hopfield", hopfield},
      {"hopfield_pooling", hopfield_pooling},
      {"neural_process", neural_process},
      {"dynamic_memory", dynamic_memory},
  };
}

}  // namespace heed::attention
