// Models of Hugging Face's transformers, from the folder in which one was saved:
//
//   const auto model = pretrained::load<pretrained::DecoderOnly>("gpt2");       // config.json, model.safetensors
//
// families.h has those that are known.
#pragma once

#include <memory>
#include <string>

#include "../core/error.h"
#include "families.h"

namespace heed::pretrained {

/// By config.json's model_type: DecoderOnly of gpt2, llama, mistral and qwen2, Bert of bert,
/// SequenceModel of t5 and marian; in eval mode, f32. Strict: throws FormatError for another type,
/// for what the family's reader does not know in config.json, and for a parameter that is missing,
/// left over, or of another shape; IoError. Memory follows the files' size.
std::unique_ptr<nn::Module> load(const std::string& folder);

/// The same; throws FormatError also where it is not a `Model`.
template <class Model>
std::unique_ptr<Model> load(const std::string& folder) {
  std::unique_ptr<nn::Module> found = load(folder);
  auto* const model = dynamic_cast<Model*>(found.get());
  if (model == nullptr) throw FormatError(folder, 0, "a model of another kind than was asked for");
  found.release();
  return std::unique_ptr<Model>(model);
}

}  // namespace heed::pretrained
