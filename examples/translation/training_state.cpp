#include "training_state.h"

#include <fmt/format.h>

#include <limits>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/model_directory.h"
#include "../../io/safetensors.h"
#include "../../io/saved_module.h"

namespace translation {

using heed::Array;
using heed::DType;
using heed::Tensor;
namespace io = heed::io;

namespace {

constexpr Index kNumbers = 9;  // of "progress"

// The entries whose names begin so, without that beginning.
heed::optim::NamedArrays below(const heed::optim::NamedArrays& all, const std::string& prefix) {
  heed::optim::NamedArrays out;
  for (const auto& [key, array] : all) {
    if (key.starts_with(prefix)) out.emplace_back(key.substr(prefix.size()), array);
  }
  return out;
}

}  // namespace

Weights weights_of(const heed::nn::Module& model) {
  Weights out;
  for (const auto& [key, tensor] : model.state_dict()) {
    out.emplace_back(key, tensor.array().clone());
  }
  return out;
}

Weights mean_of(const std::vector<Weights>& all) {
  const heed::NoGrad scope;
  Weights out = all.at(0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Tensor sum = Tensor(out[i].second);
    if (sum.dtype() != DType::f32 && sum.dtype() != DType::f64) continue;
    for (std::size_t k = 1; k < all.size(); ++k) sum = sum + Tensor(all[k][i].second);
    out[i].second = (sum / static_cast<double>(all.size())).array();
  }
  return out;
}

void put_weights(heed::nn::Module& model, const Weights& weights) {
  heed::nn::NamedTensors entries;
  for (const auto& [key, array] : weights) entries.emplace_back(key, Tensor(array));
  model.load_state_dict(entries);
}

std::string encode_state(const TrainingState& state, const heed::nn::Module& model,
                         const heed::optim::Optimizer& optimizer) {
  io::NamedArrays arrays;
  const auto put = [&arrays](const std::string& prefix, const heed::optim::NamedArrays& entries) {
    for (const auto& [key, array] : entries) arrays.emplace_back(prefix + key, array);
  };
  put("model.", weights_of(model));
  put("optimizer.", optimizer.state_dict());
  for (std::size_t i = 0; i < state.ends.size(); ++i) put(fmt::format("end.{}.", i), state.ends[i]);
  const auto random = heed::default_generator().state();
  arrays.emplace_back(
      "progress",
      Array::from<std::int64_t>(
          {state.epoch, state.batch, state.steps, static_cast<std::int64_t>(random.seed),
           static_cast<std::int64_t>(random.offset), state.setting.pairs, state.setting.validation,
           state.setting.batch_tokens, static_cast<std::int64_t>(state.setting.seed)}));
  arrays.emplace_back("sums", Array::from(state.sums));
  arrays.emplace_back("figures", Array::from(state.figures));
  return io::encode_safetensors(arrays);
}

TrainingState restore_state(const std::string& folder, heed::nn::Module& model,
                            heed::optim::Optimizer& optimizer) {
  const std::string path = folder + "/" + kStateFile;
  const auto file = io::decode_safetensors(io::read_from_directory(folder, kStateFile), path);
  const auto need = [&](const char* what, DType dtype) {
    for (const auto& [key, array] : file.arrays) {
      if (key == what && array.dtype() == dtype && array.rank() == 1) return array;
    }
    throw heed::FormatError(path, 0, fmt::format("'{}' is missing or of a wrong kind", what));
  };
  TrainingState state;
  const auto progress = need("progress", DType::i64).to_vector<std::int64_t>();
  state.sums = need("sums", DType::f64).to_vector<double>();
  state.figures = need("figures", DType::f64).to_vector<double>();
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  bool sound = progress.size() == kNumbers && state.sums.size() == 3 &&
               state.figures.size() % TrainingState::kFigures == 0;
  for (std::size_t i = 0; sound && i < 3; ++i) sound = progress[i] >= 0 && progress[i] <= kMost;
  if (!sound) throw heed::FormatError(path, 0, "its numbers make no sense");
  state.epoch = progress[0];
  state.batch = progress[1];
  state.steps = progress[2];
  state.setting = {progress[5], progress[6], progress[7], static_cast<std::uint64_t>(progress[8])};
  io::blaming(path, [&] {
    for (std::size_t i = 0;; ++i) {
      const Weights end = below(file.arrays, fmt::format("end.{}.", i));
      if (end.empty()) break;
      put_weights(model, end);  // refuses what does not fit
      state.ends.push_back(end);
    }
    put_weights(model, below(file.arrays, "model."));
    optimizer.load_state_dict(below(file.arrays, "optimizer."));
  });
  heed::default_generator().set_state(
      {static_cast<std::uint64_t>(progress[3]), static_cast<std::uint64_t>(progress[4])});
  return state;
}

}  // namespace translation
