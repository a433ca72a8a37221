// Functions of a score and its place, which tiled attention lays over its tiles, forward and
// backward (FlexAttention's score_mod, Dong et al. 2024):
//
//   const ScoreMap soft = score_map([](auto s, auto, auto cap) { return cap * tanh(s / cap); }, cap);
//   const ScoreMap near = score_map(
//       [](auto s, auto at, auto slope) { return s - slope * abs(at.q - at.k); }, slopes);
//
// The lambda is generic: it is called with strips of numbers, with dual numbers, from which its
// derivatives by the score and by what it has captured follow, and with Tensors, which is the plain
// definition and what second order goes through. So it is written with operators and the functions
// of tensors (abs exp log sqrt tanh sigmoid relu sin cos erf square pow maximum minimum ...), and
// where(condition, a, b) stands for what ?: and if cannot do; comparisons combine by
// logical_and(a, b), logical_or(a, b), logical_not(a). The same bits for any number of threads.
//
// `at` has the places of the query and the key, at.q and at.k, the last query standing at the last
// key, and at.batch and at.head: the first of the leading axes, and all the others together.
//
// What is captured comes behind `at`, in order. A tensor of one number is that number, one of [H]
// that of the head; as_table(x) is a function of as many indices as x has axes, from 0, rounded,
// and NaN beyond its ends; each_place(x) broadcasts to [.., Q, K]. All are of the scores' dtype,
// and all but each_place get gradients. A map that gives NaN throws ValueError.
#pragma once

#include <memory>
#include <vector>

#include "bound_map.h"

namespace heed {

class ScoreMap {
 public:
  /// No map.
  ScoreMap() = default;
  ScoreMap(std::shared_ptr<const detail::MapKind> kind, std::vector<Tensor> captured)
      : kind_(std::move(kind)), captured_(std::move(captured)) {}

  bool defined() const { return kind_ != nullptr; }
  const std::vector<Tensor>& captured() const { return captured_; }

  /// The definition: scores [.., Q, K] -> the same. Throws ShapeError, DTypeError, GradError.
  Tensor operator()(const Tensor& scores) const;
  /// First this one, then the other.
  ScoreMap then(const ScoreMap& next) const;
  /// The same of other tensors.
  ScoreMap with(std::vector<Tensor> captured) const { return {kind_, std::move(captured)}; }
  /// The same for heads [B, H, ..] that stand in groups, [B, H / G, G, ..].
  ScoreMap in_groups(Index groups) const;

  /// For kernels: of scores [.., Q, K], where `wanted` says whose gradients are wanted. Null
  /// without a map. Throws as the definition.
  std::shared_ptr<const kernels::TileMap> bind(const Shape& scores, DType dtype,
                                               const std::vector<bool>& wanted = {}) const;

 private:
  std::shared_ptr<const detail::MapKind> kind_;
  std::vector<Tensor> captured_;
};

/// A captured tensor that is read by place: x(i), x(i, j), ...
struct Table {
  Tensor x;
};
inline Table as_table(Tensor x) { return {std::move(x)}; }
/// A captured tensor that has a number for each score.
struct EachPlace {
  Tensor x;
};
inline EachPlace each_place(Tensor x) { return {std::move(x)}; }

namespace detail {

template <class C>
constexpr Capture capture_of() {
  if (std::is_same_v<C, Table>) return Capture::table;
  return std::is_same_v<C, EachPlace> ? Capture::each_place : Capture::number;
}
inline Tensor tensor_of(const Tensor& x) { return x; }
template <class C>
Tensor tensor_of(const C& capture) {
  return capture.x;
}

}  // namespace detail

template <class F, class... C>
ScoreMap score_map(F f, const C&... captured) {
  using Kind = detail::MapOf<F, detail::capture_of<C>()...>;
  return {std::make_shared<Kind>(std::move(f)), {detail::tensor_of(captured)...}};
}

}  // namespace heed
