// Enums by the names of their values, as text. casters.h includes it.
#pragma once

#include <array>
#include <string>

#include "../heed.h"

namespace heed::python {

/// One text for each value of an enum, in its order.
template <std::size_t N>
using Names = std::array<const char*, N>;

/// Reduction, and the sum by the number of rows, which a divergence alone has.
enum class KlReduction { none, mean, sum, batchmean };

}  // namespace heed::python

namespace pybind11::detail {

template <class Enum, std::size_t N>
struct names_caster {
  PYBIND11_TYPE_CASTER(Enum, const_name("str"));
  bool load_by(const heed::python::Names<N>& names, handle from) {
    if (!PyUnicode_Check(from.ptr())) return false;
    const auto text = from.cast<std::string>();
    for (std::size_t i = 0; i < N; ++i) {
      if (text != names[i]) continue;
      value = static_cast<Enum>(i);
      return true;
    }
    std::string all;
    for (const char* name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    throw heed::ValueError("\"" + text + "\" is none of " + all);
  }
};

// The names of ENUM's values, in its order.
#define HEED_NAMES(ENUM, ...)                                                      \
  template <>                                                                      \
  struct type_caster<ENUM>                                                         \
      : names_caster<ENUM, std::tuple_size_v<decltype(std::array{__VA_ARGS__})>> { \
    static constexpr std::array kNames{__VA_ARGS__};                               \
    bool load(handle from, bool) { return load_by(kNames, from); }                 \
    static handle cast(ENUM from, return_value_policy, handle) {                   \
      return str(kNames[static_cast<std::size_t>(from)]).release();                \
    }                                                                              \
  };
HEED_NAMES(heed::Reduction, "none", "mean", "sum")
HEED_NAMES(heed::python::KlReduction, "none", "mean", "sum", "batchmean")
HEED_NAMES(heed::Gelu, "none", "tanh")
HEED_NAMES(heed::Nonlinearity, "tanh", "relu")
HEED_NAMES(heed::PadMode, "constant", "reflect", "replicate")
HEED_NAMES(heed::nn::Fan, "fan_in", "fan_out")
HEED_NAMES(heed::Relaxation, "gumbel", "straight_through_gumbel", "straight_through")
HEED_NAMES(heed::optim::LineSearch, "none", "strong_wolfe")
HEED_NAMES(heed::attention::Norm, "layer", "rms")
HEED_NAMES(heed::attention::QkNorm, "none", "layer", "rms")
HEED_NAMES(heed::attention::Activation, "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu",
           "geglu_tanh")
HEED_NAMES(heed::attention::RotaryLayout, "pairs", "halves")
HEED_NAMES(heed::attention::LocalKind, "monotonic", "predictive")
HEED_NAMES(heed::attention::LuongAttention, "global", "local_m", "local_p")
HEED_NAMES(heed::attention::RotaryScalingKind, "none", "linear", "ntk", "dynamic_ntk", "yarn",
           "llama3")
HEED_NAMES(heed::attention::DifferentialKind, "v1", "v2")
HEED_NAMES(heed::attention::SynthesizerKind, "dense", "random", "fixed_random", "factorised_dense",
           "factorised_random", "dot_product")
HEED_NAMES(heed::attention::PerformerFeatures, "positive", "hyperbolic")
HEED_NAMES(heed::attention::LinearForm, "chunked", "recurrent", "quadratic")
HEED_NAMES(heed::attention::Fusion, "shallow", "deep")
HEED_NAMES(heed::attention::HardEvaluation, "argmax", "sample", "expectation")
HEED_NAMES(heed::attention::MemoryTying, "adjacent", "layer_wise")
HEED_NAMES(heed::attention::PositionEncoding, "none", "published", "centred")
HEED_NAMES(heed::attention::CoAttentionKind, "parallel", "alternating")
HEED_NAMES(heed::attention::GraphAttentionKind, "gat", "gat_v2")
HEED_NAMES(heed::attention::NonLocalKind, "gaussian", "embedded_gaussian", "dot")
HEED_NAMES(heed::attention::SpatialTransform, "affine", "attention")
HEED_NAMES(heed::GridPadding, "zeros", "border")
#undef HEED_NAMES
/// PyTorch's word for linear of two axes is understood, too.
template <>
struct type_caster<heed::Interpolation> : names_caster<heed::Interpolation, 3> {
  static constexpr std::array kNames{"nearest", "linear", "bilinear"};
  bool load(handle from, bool) {
    if (!load_by(kNames, from)) return false;
    if (value != heed::Interpolation::nearest) value = heed::Interpolation::linear;
    return true;
  }
  static handle cast(heed::Interpolation from, return_value_policy, handle) {
    return str(kNames[static_cast<std::size_t>(from)]).release();
  }
};

}  // namespace pybind11::detail
