// Every mechanism behind one face, for tests of what holds for all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../../attention/attend.h"
#include "../algebra.h"

namespace heed::attention {

/// Of all inputs: [B, Q, E] queries over [B, K, E] keys, which are the values too.
constexpr Index kE = 6;

/// Of what kMechanisms makes; f64 at first.
DType& mechanism_dtype();

struct Mechanism {
  std::vector<std::shared_ptr<nn::Module>> modules = {};  ///< the mechanism itself first
  bool self = false;                                      ///< the keys are the queries
  bool pools = false;                                     ///< there are no queries: context [B, E]
  bool by_place = false;                                  ///< places of keys enter
  bool sums_to_one = true;                                ///< of its weights
  bool always_causal = false;                             ///< whatever the mask
  bool any_sign = false;                                  ///< weights may be below 0
  bool sums_to_any = false;                               ///< also to more
  bool projects = false;  ///< something stands behind the contexts, so that none is zero
  bool residual = false;  ///< tokens go on beside attention too, and meet norms and projections
  Index key_axis = -1;    ///< of its weights
  /// Keys beyond the lengths are masked; query is not looked at where `self` or `pools`.
  std::function<Attended(const Tensor& query, const Tensor& keys, const std::vector<Index>& lengths,
                         bool need_weights)>
      call = {};
  std::function<Tensor(const Tensor& x)> causal = {};  ///< of those that attend to themselves
  std::string name = {};                               ///< in its errors
  std::string group = {};                              ///< for the scoreboard

  nn::Module& module() const { return *modules.front(); }
  std::vector<Tensor> parameters() const;
};

extern const Registry<Mechanism> kMechanisms;
/// With random numbers in all parameters.
Mechanism mechanism(const std::string& name);

/// Parts of kMechanisms, of mechanisms_decoders.cpp and so on.
Registry<Mechanism> decoder_mechanisms();
Registry<Mechanism> pair_mechanisms();
Registry<Mechanism> memory_mechanisms();
Registry<Mechanism> linear_mechanisms();
Registry<Mechanism> graph_mechanisms();
Registry<Mechanism> set_mechanisms();
Registry<Mechanism> layer_mechanisms();

/// Of as many places of keys as each row has.
inline Mask padding(const std::vector<Index>& lengths, const Tensor& keys) {
  return Mask::lengths(lengths, keys.size(1));
}

}  // namespace heed::attention
