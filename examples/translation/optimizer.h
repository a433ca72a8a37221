// The optimizer that a translator is trained by: weight decay is of matrices alone.
#pragma once

#include "../../optim/adadelta.h"
#include "../../optim/adam.h"
#include "../../optim/decaying_matrices.h"
#include "trainer.h"

namespace translation {

inline std::unique_ptr<optim::Optimizer> optimizer_of(const Translator& model,
                                                      const TrainerOptions& options) {
  if (options.optimizer == "adadelta") {
    const optim::AdadeltaOptions made{
        .lr = options.lr, .rho = 0.95, .weight_decay = options.weight_decay};
    return std::make_unique<optim::Adadelta>(optim::decaying_matrices(model.parameters(), made));
  }
  const optim::AdamWOptions made{
      .lr = options.lr, .betas = {0.9, 0.98}, .eps = 1e-9, .weight_decay = options.weight_decay};
  return std::make_unique<optim::AdamW>(optim::decaying_matrices(model.parameters(), made));
}

}  // namespace translation
