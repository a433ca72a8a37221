// The fuzz targets: each reads one input of any bytes as one reader of foreign files does, or gives
// it to one writer of foreign texts, and asserts what is promised (checks.h): an accepted input is
// written again and reads back equal; a refused one is an error of ours; memory follows its size.
//
// scripts/fuzz feeds them with libFuzzer. The test suite replays corpus/TARGET, where each input
// that ever broke a promise stays.
#pragma once

#include <string_view>
#include <vector>

namespace heed::fuzz {

// What reads bytes.
void safetensors(std::string_view input);
void config(std::string_view input);
void training_state(std::string_view input);
void model_directory(std::string_view input);
void vocabulary(std::string_view input);
void coder(std::string_view input);
// What reads files.
void text_file(std::string_view input);
void tsv(std::string_view input);
void sick(std::string_view input);
void json_lines(std::string_view input);
void articles(std::string_view input);
void parallel_text(std::string_view input);
void babi(std::string_view input);
void cloze(std::string_view input);
void iob(std::string_view input);
void csv_log(std::string_view input);
void json_log(std::string_view input);
void word_vectors(std::string_view input);
void visual_questions(std::string_view input);
void idx(std::string_view input);
void image(std::string_view input);
void wav(std::string_view input);
// What reads models of others.
void llama2c(std::string_view input);
void ctranslate2(std::string_view input);
void scored_tokens(std::string_view input);
void tensor_json(std::string_view input);
void family_config(std::string_view input);
void shard_index(std::string_view input);
void npy(std::string_view input);
void npz(std::string_view input);
void torch_file(std::string_view input);
void gguf(std::string_view input);
void tokenizer_json(std::string_view input);
void sentencepiece_model(std::string_view input);
void onnx_model(std::string_view input);
// What takes texts apart.
void utf8(std::string_view input);
void tokenizer(std::string_view input);
void sentences(std::string_view input);
// What writes foreign texts.
void markup(std::string_view input);
void report(std::string_view input);
void alignment(std::string_view input);
void chart(std::string_view input);
void picture(std::string_view input);
void shade(std::string_view input);

struct Target {
  const char* name;
  void (*run)(std::string_view input);
};
const std::vector<Target>& targets();
/// Throws ValueError for a name that is none.
const Target& target_named(std::string_view name);

}  // namespace heed::fuzz
