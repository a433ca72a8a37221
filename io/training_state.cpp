#include "training_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/quoted.h"
#include "saved_module.h"

namespace heed::io {

void save_training(const std::string& folder, std::string state, DirectoryFiles model, bool best) {
  DirectoryFiles files;
  files.emplace_back(kTrainingFile, std::move(state));
  if (!best) return save_directory(folder, files, model);
  model.push_back(std::move(files[0]));
  save_directory(folder, model);
}

TrainingState::TrainingState(const nn::Module& model, const optim::Optimizer& optimizer) {
  put("model", model.state_dict());
  put("optimizer", optimizer.state_dict());
  put("random", default_generator());
}

TrainingState TrainingState::read(const std::string& folder) {
  return decode(read_from_directory(folder, kTrainingFile), folder + "/" + kTrainingFile);
}

TrainingState TrainingState::decode(std::string_view bytes, const std::string& path) {
  TrainingState out;
  out.path_ = path;
  Safetensors file = decode_safetensors(bytes, path, ReadBf16::as_it_is);
  out.arrays_ = std::move(file.arrays);
  out.texts_ = std::move(file.metadata);
  return out;
}

std::string TrainingState::encode() const { return encode_safetensors(arrays_, texts_); }

void TrainingState::restore(nn::Module& model, optim::Optimizer& optimizer) const {
  Generator random;
  get("random", random);
  blaming(path_, [&] {
    nn::NamedTensors before = model.state_dict();
    for (auto& [key, tensor] : before) tensor = Tensor(tensor.array().clone());
    nn::NamedTensors now = model.state_dict();
    model.load_state_dict(tensors("model"));
    try {
      optimizer.load_state_dict(arrays("optimizer"));
    } catch (...) {
      // Needs no memory, which may be what is missing.
      for (std::size_t i = 0; i < now.size(); ++i) now[i].second.copy_from(before[i].second);
      throw;
    }
  });
  default_generator() = random;
}

void TrainingState::put(const std::string& name, const NamedArrays& arrays) {
  const std::string prefix = name + ".";
  for (const auto& [key, array] : arrays) arrays_.emplace_back(prefix + key, array);
}

void TrainingState::put(const std::string& name, const nn::NamedTensors& tensors) {
  const std::string prefix = name + ".";
  for (const auto& [key, tensor] : tensors) arrays_.emplace_back(prefix + key, tensor.array());
}

NamedArrays TrainingState::arrays(const std::string& name) const {
  const std::string prefix = name + ".";
  NamedArrays out;
  for (const auto& [key, array] : arrays_) {
    if (key.starts_with(prefix)) out.emplace_back(key.substr(prefix.size()), array);
  }
  return out;
}

nn::NamedTensors TrainingState::tensors(const std::string& name) const {
  nn::NamedTensors out;
  for (auto& [key, array] : arrays(name)) out.emplace_back(key, Tensor(array));
  return out;
}

// Seed and offset are unsigned: their bits are kept.
void TrainingState::put(const std::string& name, const Generator& generator) {
  const Generator::State state = generator.state();
  arrays_.emplace_back(name, Array::from<std::int64_t>({static_cast<std::int64_t>(state.seed),
                                                        static_cast<std::int64_t>(state.offset)}));
}

void TrainingState::get(const std::string& name, Generator& generator) const {
  const auto numbers = find(name, DType::i64, {2}).to_vector<std::int64_t>();
  generator.set_state(
      {static_cast<std::uint64_t>(numbers[0]), static_cast<std::uint64_t>(numbers[1])});
}

void TrainingState::put(const std::string& name, std::int64_t count) {
  arrays_.emplace_back(name, Array::from(std::vector<std::int64_t>{count}, {}));
}

std::int64_t TrainingState::count(const std::string& name, std::int64_t least,
                                  std::int64_t most) const {
  const std::int64_t count = find(name, DType::i64, {}).to_vector<std::int64_t>()[0];
  if (count < least || count > most) {
    refuse(fmt::format("{} must be in [{}, {}], not {}", in_quotes(name), least, most, count));
  }
  return count;
}

void TrainingState::put(const std::string& name, const std::string& text) {
  if (!texts_.emplace(name, text).second) {
    throw ValueError(fmt::format("training state: the text {} is put twice", in_quotes(name)));
  }
}

const std::string& TrainingState::text(const std::string& name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) refuse(fmt::format("the text {} is missing", in_quotes(name)));
  const std::string& text = found->second;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  if (text.size() > 1000 || std::any_of(text.begin(), text.end(), control)) {
    refuse(fmt::format("the text {} is more than a line", in_quotes(name)));
  }
  return text;
}

void TrainingState::refuse(const std::string& what) const { throw FormatError(path_, 0, what); }

Array TrainingState::find(const std::string& name, DType dtype, const Shape& shape) const {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (found == arrays_.end()) refuse(fmt::format("{} is missing", in_quotes(name)));
  const Array& array = found->second;
  bool fits = array.dtype() == dtype && array.rank() == shape.rank();
  for (Index i = 0; fits && i < shape.rank(); ++i) fits = shape[i] < 0 || shape[i] == array.size(i);
  if (!fits) {
    refuse(fmt::format("{} is {}, not {}{}", in_quotes(name), describe(array), heed::name(dtype),
                       to_string(shape)));
  }
  return array;
}

}  // namespace heed::io
