// Softmax at a temperature, 1 / beta: softmax(beta e). Sharpening above 1 (Chorowski et al. 2015;
// Graves et al. 2014). A learned beta stays positive as exp(log_beta).
#pragma once

#include "../normaliser.h"

namespace heed::attention {

class Temperature : public Normaliser {
 public:
  /// Throws ValueError unless beta is positive and finite.
  explicit Temperature(double beta, bool learned = false, DType dtype = DType::f32);

  Tensor& log_beta;  ///< []; undefined unless learned

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;

 private:
  double beta_;
};

}  // namespace heed::attention
