// What a training step makes small.
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

#include <string>
#include <utility>
#include <vector>

#include "../../autograd/stochastic/baselines.h"
#include "model.h"

namespace captioning {

struct LossOptions {
  double lambda = 0, lambda_r = 0, lambda_e = 0.01;
  Index draws = 4;
  Index soft_steps = 0;  ///< of the training, at first, in which hard attention is soft
  double decay = 0.9;
  void fields(io::Fields& f) {
    f.number("lambda", lambda, 0, 1e9, "soft attention: of the doubly stochastic penalty");
    f.number("lambda_r", lambda_r, 0, 1e9,
             "hard attention: of the score function; 0: 1, with one draw a tenth");
    f.number("lambda_e", lambda_e, 0, 1e9, "hard attention: of the entropy");
    f.size("draws", draws, 1, 1 << 10,
           "hard attention: of each scene, every one's baseline the mean of the others; 1: a "
           "moving average");
    f.number("decay", decay, 0, 0.9999, "hard attention with one draw: of the moving averages");
  }
};

/// `total` is to be differentiated; `words` is -log p of all real words, mean over examples.
struct CaptionLoss {
  Tensor total;
  double words = 0;
  Index count = 0;  ///< of real words
};

/// The loss with its moving averages, one a step: they are made and updated where one draw a scene
/// has no others to be compared with; soft attention has none.
class CaptionCost {
 public:
  explicit CaptionCost(const LossOptions& options);
  CaptionLoss operator()(const Captioner& model, const Batch& batch);

  std::vector<double> baselines() const;
  /// "baselines", f64 [T], and "steps", how many there were. Loading throws ValueError for other
  /// entries, and for NaN.
  std::vector<std::pair<std::string, Array>> state_dict() const;
  void load_state_dict(const std::vector<std::pair<std::string, Array>>& entries);

 private:
  LossOptions options_;
  std::vector<MovingAverage> baselines_;
  Index steps_ = 0;
};

}  // namespace captioning
