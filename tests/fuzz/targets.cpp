#include "targets.h"

#include <string>

#include "../../core/error.h"

namespace heed::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"safetensors", safetensors},
      {"config", config},
      {"training_state", training_state},
      {"model_directory", model_directory},
      {"vocabulary", vocabulary},
      {"coder", coder},
      {"text_file", text_file},
      {"tsv", tsv},
      {"sick", sick},
      {"json_lines", json_lines},
      {"articles", articles},
      {"parallel_text", parallel_text},
      {"babi", babi},
      {"cloze", cloze},
      {"iob", iob},
      {"csv_log", csv_log},
      {"json_log", json_log},
      {"word_vectors", word_vectors},
      {"visual_questions", visual_questions},
      {"idx", idx},
      {"image", image},
      {"wav", wav},
      {"llama2c", llama2c},
      {"ctranslate2", ctranslate2},
      {"scored_tokens", scored_tokens},
      {"tensor_json", tensor_json},
      {"family_config", family_config},
      {"shard_index", shard_index},
      {"npy", npy},
      {"npz", npz},
      {"torch_file", torch_file},
      {"gguf", gguf},
      {"tokenizer_json", tokenizer_json},
      {"sentencepiece_model", sentencepiece_model},
      {"onnx_model", onnx_model},
      {"utf8", utf8},
      {"tokenizer", tokenizer},
      {"sentences", sentences},
      {"markup", markup},
      {"report", report},
      {"alignment", alignment},
      {"chart", chart},
      {"picture", picture},
      {"shade", shade},
  };
  return all;
}

const Target& target_named(std::string_view name) {
  for (const Target& target : targets()) {
    if (name == target.name) return target;
  }
  throw ValueError("fuzz: no target \"" + std::string(name) + "\"");
}

}  // namespace heed::fuzz
