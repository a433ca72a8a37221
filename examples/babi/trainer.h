// Training as in the paper: plain gradient descent on the sum of a batch's losses, its gradient
// clipped, the learning rate halved every so many epochs. Before that the linear start: no softmax
// in the hops and half the learning rate, for so many epochs or until the loss of a tenth of the
// questions, held back, has not fallen for a while.
#pragma once

#include "model.h"

namespace babi {

struct TrainerOptions {
  Index epochs = 100;
  Index halving = 25;
  Index linear_epochs = 20;
  Index patience = 20;
  Index batch = 32;
  double lr = 0.01;
  double clip = 40;
  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1 << 24, "after the linear start; joint 60 if nothing is said");
    f.size("halving", halving, 1, 1 << 24,
           "epochs after which the learning rate halves; joint 15 if nothing is said");
    f.size("linear_epochs", linear_epochs, 0, 1 << 24,
           "most of the linear start; 0: none; joint 30 if nothing is said");
    f.size("patience", patience, 1, 1 << 24,
           "epochs without a fall of the validation loss that end the linear start");
    f.size("batch", batch, 1, 1 << 24, "questions a step");
    f.number("lr", lr, 1e-12, 1e6, "the first learning rate");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
  }
};

struct Training {
  std::unique_ptr<MemoryNetwork> model;
  double train_loss = 0;  ///< nats a question, without noise, at the end
  std::size_t linear_epochs = 0;
  double seconds = 0;
  bool interrupted = false;
};

/// From weights, order and noise of `seed` alone. Throws ValueError for fewer than ten examples;
/// options as MemoryNetwork.
Training train_model(const ModelOptions& model, const std::vector<Example>& examples,
                     const TrainerOptions& options, std::uint64_t seed);

}  // namespace babi
