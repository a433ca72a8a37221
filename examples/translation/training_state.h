// What a training run is at one moment, as a file: with it a run goes on as if it had never
// stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../nn/module.h"
#include "../../optim/optimizer.h"

namespace translation {

using heed::Index;

inline constexpr const char* kStateFile = "training.safetensors";

/// The weights of a model, by name; their memory is their own.
using Weights = heed::optim::NamedArrays;

Weights weights_of(const heed::nn::Module& model);
/// The mean of several. Throws IndexError for none.
Weights mean_of(const std::vector<Weights>& all);
void put_weights(heed::nn::Module& model, const Weights& weights);

/// What a run that goes on must have in common with the one it goes on from.
struct Setting {
  Index pairs = 0, validation = 0;  ///< pairs of sentences
  Index batch_tokens = 0;
  std::uint64_t seed = 0;
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Beside model, optimizer and the default generator, which the file holds too.
struct TrainingState {
  Setting setting;
  Index epoch = 0;              ///< epochs that are through
  Index batch = 0;              ///< batches of the next that are
  Index steps = 0;              ///< in all
  std::vector<Weights> ends;    ///< of the last epochs, to be averaged
  std::vector<double> sums;     ///< loss, words and seconds of the epoch so far
  std::vector<double> figures;  ///< rows of kFigures numbers, an epoch each
  static constexpr Index kFigures = 6;
};

std::string encode_state(const TrainingState& state, const heed::nn::Module& model,
                         const heed::optim::Optimizer& optimizer);
/// Reads the folder's file into model, optimizer and default generator. Throws IoError,
/// FormatError.
TrainingState restore_state(const std::string& folder, heed::nn::Module& model,
                            heed::optim::Optimizer& optimizer);

}  // namespace translation
