// Training as in the paper: plain gradient descent on the sum of a batch's losses, its gradient
// clipped, the learning rate halved every so many epochs. Before that the linear start: no softmax
// in the hops and half the learning rate, for so many epochs or until the loss of a tenth of the
// questions, held back, has not fallen for a while.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../attention/mechanisms/memory/memory_network.h"
#include "corpus.h"

namespace babi {

using attention::MemoryNetwork;
using attention::MemoryNetworkOptions;

struct TrainerOptions {
  Index epochs = 100;        ///< after the linear start
  Index halving = 25;        ///< epochs from one learning rate to its half
  Index linear_epochs = 20;  ///< of the linear start, at most; 0: none
  Index patience = 20;       ///< epochs without a fall of the validation loss that end it
  Index batch_size = 32;
  double learning_rate = 0.01;
  double clip = 40;  ///< of the gradient's norm
};

struct Training {
  std::unique_ptr<MemoryNetwork> model;
  double train_loss = 0;  ///< nats a question, without noise, at the end
  Index linear_epochs = 0;
  double seconds = 0;
  bool interrupted = false;
};

/// Of the questions, in nats and as a share of them.
struct Figures {
  double loss, error;
};

/// Throws ValueError without an example.
Figures evaluate(MemoryNetwork& model, const std::vector<Example>& examples);

/// From weights, order and noise of `seed` alone. Throws ValueError for fewer than ten examples;
/// options as MemoryNetwork.
Training train_model(const MemoryNetworkOptions& model, const std::vector<Example>& examples,
                     const TrainerOptions& options, std::uint64_t seed);

}  // namespace babi
