// Normalisers whose small weights are exactly 0:
//
//   Sparsemax  [e - tau]_+                                      Martins & Astudillo 2016
//   Entmax     [(alpha - 1) e - tau]_+^(1 / (alpha - 1))        Peters, Niculae & Martins 2019
//   TopK       softmax over the k largest scores of each query
//
// tau is such that the weights sum to 1. A learned alpha (Correia, Niculae & Martins 2019) stays
// above 1 as alpha = 1 + exp(log_excess).
#pragma once

#include "../normaliser.h"

namespace heed::attention {

class Sparsemax : public Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
};

struct EntmaxOptions {
  double alpha = 1.5;  ///< above 1
  bool learned = false;
  Index heads = 0;  ///< of a learned alpha: one a head, for scores [.., H, Q, K]; 0: one for all
  DType dtype = DType::f32;
};

class Entmax : public Normaliser {
 public:
  /// Throws ValueError unless alpha > 1, finite, and heads is not negative.
  explicit Entmax(const EntmaxOptions& options = {});

  Tensor& log_excess;  ///< [] or [H, 1, 1]; undefined unless learned

  /// Rank 0 or [H, 1, 1]; f64 unless learned.
  Tensor alpha() const;
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;

 private:
  double alpha_;
};

class TopK : public Normaliser {
 public:
  /// Throws ValueError unless k is positive. Where fewer places are allowed, all of them count;
  /// among equal scores the first.
  explicit TopK(Index k);

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;

 private:
  Index k_;
};

}  // namespace heed::attention
