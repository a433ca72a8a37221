// Attentive neural processes (Kim et al. 2019, "Attentive Neural Processes", section 3): a function
// is known at some points, and is foretold at others, with how sure that is; each target looks at
// the points like it.
//
//   r_i = MLP_r([x_i; y_i]),   r_* = MultiHead(MLP_x(x_*), MLP_x(x_i), r_i)
//   s = mean_i MLP_s([x_i; y_i]),   q(z | s) = N(mu(s), (0.1 + 0.9 sigmoid(sigma(s)))^2)
//   y_* ~ N(mean, deviation^2) = MLP_d([x_*; r_*; z]),   deviation = 0.1 + 0.9 softplus
//   loss = -mean log p(y_*) + KL(q(z | targets) || q(z | context)) / targets
//
// x [B, N, dx], y [B, N, dy], targets [B, M, dx] -> mean, deviation [B, M, dy]. MLPs have one
// hidden layer, of relu. In training z is drawn from the targets' q, else from the context's. O(M N
// E). Without attention (r_* the mean of all r_i) it is the neural process of Garnelo et al. 2018.
#pragma once

#include "../../../core/generator.h"
#include "../transformer/multi_head.h"

namespace heed::attention {

struct NeuralProcessOptions {
  Index input = 0, output = 0;  ///< dx, dy
  Index width = 0;              ///< E, of all that is between
  Index heads = 1;
  bool attentive = true;  ///< without: r_* is the mean
  bool latent = true;     ///< without: no z, a conditional process (Garnelo et al. 2018)
  DType dtype = DType::f32;
};

/// Two layers with relu between.
class ProcessLayers : public nn::Module {
 public:
  ProcessLayers(Index in, Index hidden, Index out, DType dtype);
  nn::Linear &first, &second;
  Tensor operator()(const Tensor& x) const;
};

struct NeuralProcessOutput {
  Tensor mean, deviation;  ///< [B, M, dy]
  Tensor kl = {};          ///< [B]; undefined without the targets' y, and without z
  Tensor weights = {};     ///< [B, H, M, N]; undefined unless asked for, and without attention
};

class NeuralProcess : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, and as MultiHead.
  explicit NeuralProcess(const NeuralProcessOptions& options);

 private:
  NeuralProcessOptions options_;

 public:
  ProcessLayers &points, &places, &decoder;
  MultiHead* attend;       ///< null without
  ProcessLayers* latents;  ///< null without z, as these
  nn::Linear *mu, *sigma;

  /// With the targets' y, z is drawn from what they say, as in training. Lengths: how many points
  /// of each row are known; no lengths: all. Throws ShapeError, DTypeError.
  NeuralProcessOutput operator()(const Tensor& x, const Tensor& y, const Tensor& targets,
                                 const Tensor& answers = Tensor(),
                                 const std::vector<Index>& lengths = {}, bool need_weights = false,
                                 Generator& generator = default_generator()) const;

 private:
  struct Normal {
    Tensor mean, deviation;  // [B, E]
  };
  Normal latent(const Tensor& x, const Tensor& y, const Tensor& real) const;
};

/// -log N(y; mean, deviation^2), summed over features, the mean over targets, and KL / targets
/// where it is there: [].
Tensor neural_process_loss(const NeuralProcessOutput& foretold, const Tensor& answers);

}  // namespace heed::attention
