// What Transformers' layers and stacks give, where their experts sent the tokens among it.
#pragma once

#include <tuple>
#include <vector>

#include "../../terms.h"
#include "mixture_of_experts.h"

namespace heed::attention {

/// Of one layer: the context is its output.
struct TransformerLayerOutput : Attended {
  Routed routed = {};  ///< by the layer's experts; of nothing without
};

/// Of a stack. const auto [output, weights] = stack(x) as of any StackOutput.
struct TransformerOutput : StackOutput {
  /// Of each layer that has experts, in their order. A token that the mask's lengths, keys or
  /// tensor hide from every query does not count.
  std::vector<Routed> routed = {};
  /// The sum of these layers' balance losses, []; undefined where none has experts.
  Tensor balance() const;

  template <std::size_t I>
  auto& get() {
    if constexpr (I == 0) return output;
    if constexpr (I == 1) return weights;
  }
  template <std::size_t I>
  const auto& get() const {
    if constexpr (I == 0) return output;
    if constexpr (I == 1) return weights;
  }
};

}  // namespace heed::attention

//! @cond the names of std that `const auto [output, weights] = stack(x)` reads
template <>
struct std::tuple_size<heed::attention::TransformerOutput>
    : std::integral_constant<std::size_t, 2> {};
template <>
struct std::tuple_element<0, heed::attention::TransformerOutput> {
  using type = heed::Tensor;
};
template <>
struct std::tuple_element<1, heed::attention::TransformerOutput> {
  using type = std::vector<heed::Tensor>;
};
//! @endcond
