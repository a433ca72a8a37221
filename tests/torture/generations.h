// What a training saves, in small: each save is a generation, of which the training state says the
// number; every third one has the best weights so far and writes all files, the others the state
// alone. So at any moment the directory must hold a state of some generation, and weights,
// vocabulary and settings of the last one before it, or its own, that is divisible by three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../../core/array.h"
#include "../../io/model_directory.h"
#include "../../io/safetensors.h"
#include "../../io/training_state.h"

namespace heed {

inline std::string content_of(long generation, const std::string& file, std::size_t size) {
  std::string out = std::to_string(generation) + " " + file + " ";
  out.resize(out.size() + size, 'x');
  return out + "\n";
}

inline void save_generation(const std::string& folder, long generation, std::size_t size) {
  io::DirectoryFiles model, state;
  for (const char* name : {io::kWeightsFile, io::kVocabularyFile, io::kConfigFile}) {
    model.emplace_back(name, content_of(generation - generation % 3, name, size));
  }
  state.emplace_back(io::kTrainingFile, content_of(generation, io::kTrainingFile, size));
  if (generation % 3 != 0) return io::save_directory(folder, state, model);
  model.push_back(state[0]);
  io::save_directory(folder, model);
}

/// The generation that a directory holds, whatever reads its files; -1 with `why` when they are not
/// of one moment.
template <class Read>
long generation_in(Read&& read, std::string& why) {
  const std::string state = read(io::kTrainingFile);
  const long generation = std::atol(state.c_str());
  const std::string mark = std::string(" ") + io::kTrainingFile + " ";
  const std::size_t at = state.find(mark);
  if (at == std::string::npos) return why = "the training state is damaged", -1;
  const std::size_t size = state.size() - at - mark.size() - 1;
  for (const char* name :
       {io::kTrainingFile, io::kWeightsFile, io::kVocabularyFile, io::kConfigFile}) {
    const long own =
        name == std::string(io::kTrainingFile) ? generation : generation - generation % 3;
    const std::string content = read(name);
    if (content != content_of(own, name, size)) {
      why = std::string(name) + " is not of generation " + std::to_string(own) + ", but begins \"" +
            content.substr(0, 40) + "\"";
      return -1;
    }
  }
  return generation;
}

/// The same of one file, as io::save() writes it: its numbers are those of one generation.
inline void save_file_generation(const std::string& path, long generation, std::size_t size) {
  io::NamedArrays all;
  all.emplace_back(
      "all", Array::full({static_cast<Index>(size)}, static_cast<double>(generation), DType::i64));
  io::write_safetensors(path, all);
}

/// -1 with `why` for numbers that are not of one moment. Throws what io::read_safetensors() does.
inline long generation_in_file(const std::string& path, std::string& why) {
  const io::Safetensors file = io::read_safetensors(path);
  if (file.arrays.size() != 1 || file.arrays[0].second.numel() == 0) {
    return why = "it is another file", -1;
  }
  const auto all = file.arrays[0].second.to_vector<std::int64_t>();
  for (const std::int64_t each : all) {
    if (each != all[0]) return why = "it is of two generations", -1;
  }
  return static_cast<long>(all[0]);
}

}  // namespace heed
