// In which numbers large products of floats are computed, on this thread.
//
//   {
//     const PrecisionScope scope(Precision::bf16);
//     Tensor loss = cross_entropy(model(x), y);  // linear, matmul: operands rounded to bf16
//   }
//   loss.backward();  // derivatives have the precision of what they belong to
//
// docs/precision.md says which operators it concerns; all others stay as they are. Weights,
// gradients and results are f32 in either case.
#pragma once

#include <cstdint>

namespace heed {

/// bf16: both operands of a product are rounded to bf16 (8 bits of significand, f32's range), their
/// products are added in f32: an element of A B is right to 2^-7 |A| |B|.
enum class Precision : std::uint8_t { f32, bf16 };

namespace detail {
inline constinit thread_local Precision t_precision = Precision::f32;
}  // namespace detail

/// What holds on this thread.
inline Precision precision() { return detail::t_precision; }

/// "f32" or "bf16".
constexpr const char* name(Precision precision) {
  return precision == Precision::bf16 ? "bf16" : "f32";
}

/// Sets it for a scope.
class PrecisionScope {
 public:
  explicit PrecisionScope(Precision precision) : before_(detail::t_precision) {
    detail::t_precision = precision;
  }
  ~PrecisionScope() { detail::t_precision = before_; }
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  Precision before_;
};

}  // namespace heed
