// Fine-tuning by low-rank adapters (low_rank.h): a model that somebody trained stays as it is, and
// a few small matrices beside its large ones learn.
//
//   nn::add_lora(model, {.rank = 8, .at = {"self_attn"}});    // all else is frozen from here on
//   ... train ...
//   io::save_lora("adapters.safetensors", model);             // the small ones alone
//   nn::merge_lora(model);                                    // as fast as before, until unmerge_lora()
#pragma once

#include "low_rank.h"

namespace heed::nn {

struct LoraOptions {
  Index rank = 8;
  double alpha = 16;
  double dropout = 0;
  /// Parts of paths, "self_attn" or "layers.0": layers whose path holds one of them; empty: all. A
  /// part that ends in a digit is followed by '.' or nothing: "layers.1" is not in "layers.10".
  std::vector<std::string> at = {};
};

/// Freezes the model and puts adapters beside the matrices of each Linear and MultiHead in it:
/// those of a MultiHead's joined projection are one. They compute in the layer's dtype, beside int8
/// weights in f32, and begin in its mode. Returns how many. Throws ValueError where no layer with a
/// matrix of its own is at `at`, where the model has some, and for options out of range; then
/// nothing has changed.
Index add_lora(Module& model, const LoraOptions& options = {});
/// Throws what add_lora() and after it load_lora() of these entries would, and changes nothing.
void check_lora(Module& model, const LoraOptions& options, const NamedTensors& entries);

/// All adapters are in the weights from here on, and cost nothing. They do not learn meanwhile.
/// Nothing happens to those that are in already. Throws ValueError for a model without any or with
/// others beside weights in 8 bits or bf16.
void merge_lora(Module& model);
/// Out of them again: the weights are as they were, to the bit. Throws ValueError where one was
/// written or replaced meanwhile, as by load_state_dict() or to_bf16(), and then has changed
/// nothing.
void unmerge_lora(Module& model);
/// Whether some are added at each call.
bool has_unmerged_lora(const Module& model);

/// The adapters' parameters, by their names in the model.
NamedTensors lora_state(const Module& model);
/// The others', as the model's were before: of a merged model, the sums.
NamedTensors state_without_lora(const Module& model);
/// Strict: throws ValueError as Module::load_state_dict() does, unless these are all of the
/// model's, and as unmerge_lora(), and then has changed nothing. A merged model is unmerged.
void load_lora(Module& model, const NamedTensors& entries);

}  // namespace heed::nn
