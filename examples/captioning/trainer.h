// Training: steps over random scenes, the learning rate warmed up and then let down as a cosine,
// the best model kept on disk, a clean end on Ctrl-C, and resuming where a run was stopped, to the
// same bits.
//
//   soft   -log p(y | a) + lambda sum_i (1 - sum_t alpha_ti)^2
//   hard   its gradient is that of the expected cost over what is looked at: with l_t = log p(s_t)
//          d -log p(y | s) + lambda_r sum_t (C_t - b_t) d l_t - lambda_e sum_t d H(s_t),
//          C_t = -log p of the words from t on; b_t the mean C_t of the scene's other draws, or the
//          moving average of C_t where there is one draw
//
// The paper weighs every l_t by the log-probability of the whole caption; words before t do not
// depend on s_t, so that leaving them out changes no mean and lowers the variance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus.h"
#include "saved_model.h"
#include "writing.h"

namespace captioning {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index steps = 1000;
  Index batch_size = 32;
  double learning_rate = 2e-3;  ///< the highest; the last is a tenth of it
  Index warm_up = 100;          ///< steps in which it rises
  double clip = 5;              ///< of the gradient's norm
  double lambda = 0;            ///< of the doubly stochastic penalty, soft attention only
  double lambda_r = 1;          ///< of the score function, hard attention only
  double lambda_e = 0.01;       ///< of the entropy, hard attention only
  Index draws = 4;              ///< a scene, hard attention only
  double decay = 0.9;           ///< of the baselines of one draw
  Index interval = 250;         ///< steps between two looks at the validation scenes
  Index stop_after = 0;         ///< stop there as by Ctrl-C, to be resumed later; 0: at the end
  std::uint64_t seed = 1;
  bool resume = false;  ///< go on from what `out` holds
};

/// What an interval came to; losses in nats a word.
struct Figures {
  double step, train_loss, loss, exact, pointing, seconds;
};

struct Training {
  std::vector<Figures> curve;
  bool interrupted = false;
};

/// Trains; afterwards the describer holds the weights that described most validation scenes
/// exactly, and so does the folder. Throws IoError, FormatError, ValueError.
Training train_describer(Describer& describer, const Corpus& corpus, const TrainerOptions& options);

}  // namespace captioning
