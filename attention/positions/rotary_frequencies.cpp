#include "rotary_frequencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../core/error.h"

namespace heed::attention {
namespace {

using enum RotaryScalingKind;

constexpr double kTurn = 2 * std::numbers::pi;

void check_above_zero(const char* what, double value) {
  if (value > 0 && std::isfinite(value)) return;
  throw ValueError(fmt::format("rotary: {} {} must be positive and finite", what, value));
}

void check_order(const char* low, double a, const char* high, double b) {
  check_above_zero(low, a);
  check_above_zero(high, b);
  if (a < b) return;
  throw ValueError(fmt::format("rotary: {} {} must be below {} {}", low, a, high, b));
}

void check(Index width, double base, const RotaryScaling& scaling, double steps) {
  if (width < 0 || width % 2 != 0) {
    throw ValueError(fmt::format("rotary: width {} must be even and not negative", width));
  }
  check_above_zero("base", base);
  const double s = scaling.factor;
  if (!(s >= 1 && std::isfinite(s))) {
    throw ValueError(fmt::format("rotary: factor {} must be finite and at least 1", s));
  }
  if (scaling.kind == none && s != 1) {
    throw ValueError(fmt::format("rotary: a factor of {} needs a kind of scaling", s));
  }
  const bool by_length =
      scaling.kind == dynamic_ntk || scaling.kind == yarn || scaling.kind == llama3;
  if (by_length && scaling.original_length <= 0) {
    throw ValueError(fmt::format("rotary: original_length {} must be positive for this scaling",
                                 scaling.original_length));
  }
  if (scaling.kind == yarn) {
    check_order("beta_slow", scaling.beta_slow, "beta_fast", scaling.beta_fast);
    if (base <= 1) throw ValueError(fmt::format("rotary: base {} must be above 1 for yarn", base));
  }
  if (scaling.kind == llama3) {
    check_order("low_freq_factor", scaling.low_freq_factor, "high_freq_factor",
                scaling.high_freq_factor);
  }
  if (!(steps >= 0 && std::isfinite(steps))) {
    throw ValueError(fmt::format("rotary: steps {} must be finite and not negative", steps));
  }
}

double scaled_base(double base, const RotaryScaling& scaling, double D, double steps) {
  double s = scaling.factor;
  if (scaling.kind == dynamic_ntk) {
    const auto L = static_cast<double>(scaling.original_length);
    s = s * std::max(steps, L) / L - (s - 1);
  } else if (scaling.kind != ntk) {
    return base;
  }
  return base * std::pow(s, D / (D - 2));  // D = 2: infinite, whose only pair turns as it did
}

// The pairs between which yarn goes over from turning as before to turning slower.
struct Ramp {
  double low, high;
  double operator()(double pair) const {
    return std::clamp((pair - low) / std::max(high - low, 1e-3), 0.0, 1.0);
  }
};

Ramp ramp(double base, const RotaryScaling& scaling, double D) {
  const auto pair_of = [&](double turns) {
    const auto L = static_cast<double>(scaling.original_length);
    return D * std::log(L / (kTurn * turns)) / (2 * std::log(base));
  };
  double low = pair_of(scaling.beta_fast);
  double high = pair_of(scaling.beta_slow);
  if (scaling.whole_pairs) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  const double last = std::max(D - 1, 0.0);  // of the features, not of the pairs: as published
  return {std::clamp(low, 0.0, last), std::clamp(high, 0.0, last)};
}

}  // namespace

Tensor rotary_frequencies(Index width, double base, const RotaryScaling& scaling, double steps) {
  check(width, base, scaling, steps);
  const Index pairs = width / 2;
  const auto D = static_cast<double>(width);
  const double s = scaling.factor;
  const double used_base = scaled_base(base, scaling, D, steps);
  const Ramp slowed = scaling.kind == yarn ? ramp(base, scaling, D) : Ramp{0, 1};
  Array out = Array::empty(Shape{pairs}, DType::f64);
  double* frequencies = out.mutable_data<double>();
  for (Index i = 0; i < pairs; ++i) {
    double w = std::pow(used_base, -static_cast<double>(i) / static_cast<double>(pairs));
    double kept = 1;  // k
    if (scaling.kind == linear) {
      kept = 0;
    } else if (scaling.kind == yarn) {
      kept = 1 - slowed(static_cast<double>(i));
    } else if (scaling.kind == llama3) {
      const double turns = w * static_cast<double>(scaling.original_length) / kTurn;
      const double low = scaling.low_freq_factor;
      kept = std::clamp((turns - low) / (scaling.high_freq_factor - low), 0.0, 1.0);
    }
    if (kept < 1) w = kept * w + (1 - kept) * w / s;
    if (!std::isfinite(w * 0x1p63)) {  // so that the angle of any i64 place is finite
      throw ValueError(fmt::format("rotary: base {} turns pair {} by {} a step", base, i, w));
    }
    frequencies[i] = w;
  }
  return out;
}

double rotary_attention_factor(const RotaryScaling& scaling) {
  const double factor = scaling.attention_factor;
  if (!(factor >= 0 && std::isfinite(factor))) {
    throw ValueError(
        fmt::format("rotary: attention_factor {} must be finite and not negative", factor));
  }
  if (factor > 0) return factor;
  return scaling.kind == yarn ? 0.1 * std::log(scaling.factor) + 1 : 1;
}

}  // namespace heed::attention
