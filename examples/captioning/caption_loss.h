// What a training step makes small: see trainer.h for the formulas.
#pragma once

#include <vector>

#include "../../autograd/stochastic/baselines.h"
#include "corpus.h"
#include "model.h"

namespace captioning {

struct LossOptions {
  double lambda = 0, lambda_r = 1, lambda_e = 0;
  Index draws = 1;  ///< a scene
};

/// `total` is to be differentiated; `words` is -log p of all real words, mean over examples.
struct CaptionLoss {
  Tensor total;
  double words = 0;
  Index count = 0;  ///< of real words
};

/// `baselines`, one a step, are made, used and updated here where one draw a scene has no others to
/// be compared with; soft attention has none.
CaptionLoss caption_loss(const Captioner& model, const Batch& batch, const LossOptions& options,
                         double decay, std::vector<heed::MovingAverage>& baselines);

}  // namespace captioning
