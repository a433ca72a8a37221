// Steps of fast weights of every kind, drawn, for tests of their forms.
#pragma once

#include <string>
#include <vector>

#include "../../../../attention/mechanisms/linear/fast_weights.h"
#include "../../../../autograd/gradcheck.h"

namespace heed::attention {

enum class Decay { none, number, vector };

struct FastWeightsCase {
  std::string name;
  Decay decay;
  bool delta, bonus;
};

inline const std::vector<FastWeightsCase> kFastWeightsCases = {
    {"additive", Decay::none, false, false},
    {"additive_number", Decay::number, false, false},
    {"additive_vector", Decay::vector, false, false},
    {"additive_bonus", Decay::none, false, true},
    {"additive_number_bonus", Decay::number, false, true},
    {"additive_vector_bonus", Decay::vector, false, true},
    {"delta", Decay::none, true, false},
    {"delta_number", Decay::number, true, false},
    {"delta_vector", Decay::vector, true, false},
    {"delta_vector_bonus", Decay::vector, true, true},
};
inline void PrintTo(const FastWeightsCase& of, std::ostream* out) { *out << of.name; }

/// f64, of B rows, H heads, T steps, widths K and V, and a state; all require gradients.
struct DrawnFastWeights {
  FastWeights steps;
  Tensor state;
  DrawnFastWeights(const FastWeightsCase& of, Index B, Index H, Index T, Index K, Index V);
  std::vector<NamedLeaf> leaves() const;
};

}  // namespace heed::attention
