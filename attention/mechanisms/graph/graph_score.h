// The scores of graph attention, of H heads, of what has been projected: targets q and sources k.
//
//   GAT     e = LeakyReLU(a_t . q + a_s . k)     Velickovic et al. 2018, eq. 3
//   GATv2   e = a . LeakyReLU(q + k)             Brody et al. 2022, eq. 7
//
// As scores of attend(): q [.., H, Q, D], k [.., H, K, D] -> [.., H, Q, K]; GATv2's makes a block
// [.., H, Q, K, D]. Over edges: nodes [N, H, D], edges [M] -> [M, H].
#pragma once

#include "../../score.h"

namespace heed::attention {

class GraphScore : public Score {
 public:
  /// Of each edge, from nodes as targets and as sources, and i64 [M] which they are.
  virtual Tensor of_edges(const Tensor& target, const Tensor& source, const Tensor& targets,
                          const Tensor& sources) const = 0;

 protected:
  explicit GraphScore(double slope) : slope_(slope) {}
  double slope_;
};

class StaticGraphScore : public GraphScore {
 public:
  StaticGraphScore(Index heads, Index width, double slope, DType dtype);

  Tensor& target_vector;  ///< a_t [H, D]
  Tensor& source_vector;  ///< a_s [H, D]

  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& past = Tensor()) const override;
  Tensor of_edges(const Tensor& target, const Tensor& source, const Tensor& targets,
                  const Tensor& sources) const override;
};

class DynamicGraphScore : public GraphScore {
 public:
  DynamicGraphScore(Index heads, Index width, double slope, DType dtype);

  Tensor& score_vector;  ///< a [H, D]

  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& past = Tensor()) const override;
  Tensor of_edges(const Tensor& target, const Tensor& source, const Tensor& targets,
                  const Tensor& sources) const override;
};

}  // namespace heed::attention
