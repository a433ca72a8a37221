#include "score_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../../grad_mode.h"
#include "../elementwise/compare.h"
#include "../index/index.h"
#include "../shape/shape.h"

namespace heed {
namespace detail {
namespace {

constexpr const char* kOp = "score_map";

Index heads_of(const Shape& scores) {
  Index heads = 1;
  for (Index axis = 1; axis < scores.rank() - 2; ++axis) heads *= scores[axis];
  return heads;
}

// [0, 1, .., n - 1], shaped.
Tensor count_up(const Shape& shape, DType dtype, Index first = 0) {
  std::vector<double> places(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<double>(first + static_cast<Index>(i));
  }
  return tensor(places, shape, dtype);
}

// Of as many axes as scores have, all 1 but those begin .. end - 1.
Shape only(const Shape& scores, Index begin, Index end) {
  Shape shape = scores;
  for (Index axis = 0; axis < scores.rank(); ++axis) {
    if (axis < begin || axis >= end) shape[axis] = 1;
  }
  return shape;
}

// First one map, then another.
class BoundTwo final : public kernels::TileMap {
 public:
  using Part = std::shared_ptr<const kernels::TileMap>;
  BoundTwo(Part first, Part second) : first_(std::move(first)), second_(std::move(second)) {}

  void map(const kernels::MapRows<float>& rows, float* s) const override { value(rows, s); }
  void map(const kernels::MapRows<double>& rows, double* s) const override { value(rows, s); }
  void map(const kernels::MapRows<float>& rows, float* s, float* slope) const override {
    with_slope(rows, s, slope);
  }
  void map(const kernels::MapRows<double>& rows, double* s, double* slope) const override {
    with_slope(rows, s, slope);
  }
  std::vector<Index> wanted() const override {
    std::vector<Index> all = first_->wanted();
    const std::vector<Index> others = second_->wanted();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  void add_captured(const kernels::MapRows<float>& rows, const float* s, const float* d,
                    double* const* to) const override {
    add(rows, s, d, to);
  }
  void add_captured(const kernels::MapRows<double>& rows, const double* s, const double* d,
                    double* const* to) const override {
    add(rows, s, d, to);
  }

 private:
  template <class T>
  void value(const kernels::MapRows<T>& rows, T* s) const {
    first_->map(rows, s);
    second_->map(rows, s);
  }
  template <class T>
  void with_slope(const kernels::MapRows<T>& rows, T* s, T* slope) const {
    T own[kernels::Strip<T>::kMost];
    first_->map(rows, s, slope);
    second_->map(rows, s, own);
    for (Index i = 0; i < rows.size(); ++i) slope[i] *= own[i];
  }
  template <class T>
  void add(const kernels::MapRows<T>& rows, const T* s, const T* d, double* const* to) const {
    T between[kernels::Strip<T>::kMost], own[kernels::Strip<T>::kMost];
    std::copy_n(s, rows.size(), between);
    first_->map(rows, between);
    second_->add_captured(rows, between, d, to + first_->wanted().size());
    second_->map(rows, between, own);
    for (Index i = 0; i < rows.size(); ++i) own[i] = d[i] == T{0} ? T{0} : own[i] * d[i];
    first_->add_captured(rows, s, own, to);
  }

  Part first_, second_;
};

class Two final : public MapKind {
 public:
  Two(std::shared_ptr<const MapKind> first, std::shared_ptr<const MapKind> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  std::vector<Capture> captures() const override {
    std::vector<Capture> all = first_->captures();
    const std::vector<Capture> others = second_->captures();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  Tensor apply(const Tensor& scores, const std::vector<Tensor>& captured) const override {
    const auto cut = captured.begin() + own();
    return second_->apply(first_->apply(scores, {captured.begin(), cut}), {cut, captured.end()});
  }
  std::shared_ptr<const kernels::TileMap> bind(const Shape& scores, DType dtype,
                                               const std::vector<Tensor>& captured,
                                               const std::vector<bool>& wanted) const override {
    std::vector<bool> all = wanted;
    all.resize(captured.size(), false);
    const auto cut = captured.begin() + own();
    const auto wanted_cut = all.begin() + own();
    return std::make_shared<BoundTwo>(
        first_->bind(scores, dtype, {captured.begin(), cut}, {all.begin(), wanted_cut}),
        second_->bind(scores, dtype, {cut, captured.end()}, {wanted_cut, all.end()}));
  }

 private:
  std::ptrdiff_t own() const { return static_cast<std::ptrdiff_t>(first_->captures().size()); }
  std::shared_ptr<const MapKind> first_, second_;
};

}  // namespace

void check_captured(Capture kind, const Tensor& x, const Shape& scores, DType dtype) {
  check_defined(kOp, x, "a captured tensor");
  const bool counts = kind == Capture::each_place && !is_floating(x.dtype());
  if (x.dtype() != dtype && !counts) {
    throw DTypeError(fmt::format("{}: a captured tensor must be {} as the scores, not {}", kOp,
                                 name(dtype), describe(x)));
  }
  const auto refuse = [&](const std::string& wanted) {
    throw ShapeError(
        fmt::format("{}: {} of scores {}, not {}", kOp, wanted, to_string(scores), describe(x)));
  };
  if (kind == Capture::number) {
    const bool by_head = x.rank() == 1 && x.numel() == heads_of(scores);
    if (x.numel() != 1 && !by_head) {
      refuse(fmt::format("a captured number must be one for all or [{}], one a head,",
                         heads_of(scores)));
    }
  } else if (kind == Capture::each_place) {
    bool fits = x.rank() <= scores.rank();
    for (Index axis = 1; fits && axis <= x.rank(); ++axis) {
      fits = x.size(-axis) == 1 || x.size(-axis) == scores[scores.rank() - axis];
    }
    if (!fits) refuse("each_place must broadcast to the shape");
    if (recording() && x.requires_grad()) {
      throw GradError(
          fmt::format("{}: each_place {} requires a gradient, and gets none: add it to "
                      "the scores as a bias",
                      kOp, describe(x)));
    }
  } else if (x.rank() == 0) {
    refuse("a table must have axes to be read along, whatever the shape");
  }
}

Tensor captured_tensor(Capture kind, const Tensor& x, const Shape& scores, DType dtype) {
  if (kind == Capture::each_place) return x.dtype() == dtype ? x : to(x, dtype);
  if (x.numel() == 1) return reshape(x, Shape{});
  return reshape(x, only(scores, 1, scores.rank() - 2));
}

ScorePlace<Tensor> places_of(const Shape& scores, DType dtype) {
  const Index rank = scores.rank(), Q = scores[rank - 2], K = scores[rank - 1];
  return {count_up(only(scores, rank - 2, rank - 1), dtype, K - Q),
          count_up(only(scores, rank - 1, rank), dtype),
          rank > 2 ? count_up(only(scores, 0, 1), dtype) : zeros(only(scores, 0, 0), dtype),
          count_up(only(scores, 1, std::max<Index>(rank - 2, 1)), dtype)};
}

void check_indices(const Shape& table, std::size_t indices) {
  if (indices == static_cast<std::size_t>(table.rank())) return;
  throw ShapeError(fmt::format("{}: {} indices into a table {}", kOp, indices, to_string(table)));
}

Tensor look_up(const Tensor& table, const std::vector<Tensor>& indices) {
  check_indices(table.shape(), indices.size());
  Tensor place, inside;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    const auto size = static_cast<double>(table.size(static_cast<Index>(axis)));
    const Tensor at = indices[axis].detach();
    const Tensor own = logical_and(at > -0.5, at < size - 0.5);
    const Tensor rounded = to(to(where(own, at + 0.5, 0), DType::i64), DType::f64);
    inside = axis == 0 ? own : logical_and(inside, own);
    place = axis == 0 ? rounded : place * size + rounded;
  }
  const Tensor numbers = reshape(table, Shape{table.numel(), 1});
  if (table.numel() == 0)
    return zeros(place.shape(), table.dtype()) + std::numeric_limits<double>::quiet_NaN();
  const Tensor found = embedding(numbers, to(where(inside, place, 0), DType::i64));
  return where(inside, squeeze(found, -1), std::numeric_limits<double>::quiet_NaN());
}

Tensor spread_over(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? x : expand(x, shape);
}

BoundCapture::BoundCapture(Capture kind, const Tensor& x, const Shape& scores, DType dtype,
                           bool wanted)
    : kind_(kind), wanted_(wanted), heads_(heads_of(scores)) {
  check_captured(kind, x, scores, dtype);
  if (kind != Capture::each_place) {
    array_ = x.array().contiguous();
    return;
  }
  array_ = x.dtype() == dtype ? x.array() : x.array().to(dtype);
  array_ = array_.expand(scores);
  const Strides& steps = array_.strides();
  const Index rank = scores.rank();
  row_step_ = steps[rank - 2];
  key_step_ = steps[rank - 1];
  Index matrices = 1;
  for (Index axis = 0; axis < rank - 2; ++axis) matrices *= scores[axis];
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    Index rest = matrix, begin = 0;
    for (Index axis = rank - 3; axis >= 0; --axis) {
      begin += rest % scores[axis] * steps[axis];
      rest /= scores[axis];
    }
    matrices_.push_back(begin);
  }
}

}  // namespace detail

Tensor ScoreMap::operator()(const Tensor& scores) const {
  check_defined("score_map", scores, "scores");
  if (scores.rank() < 2) {
    throw ShapeError("score_map: scores must be [.., Q, K], not " + describe(scores));
  }
  return defined() ? kind_->apply(scores, captured_) : scores;
}

ScoreMap ScoreMap::then(const ScoreMap& next) const {
  if (!defined()) return next;
  if (!next.defined()) return *this;
  std::vector<Tensor> all = captured_;
  all.insert(all.end(), next.captured_.begin(), next.captured_.end());
  return {std::make_shared<detail::Two>(kind_, next.kind_), std::move(all)};
}

ScoreMap ScoreMap::in_groups(Index groups) const {
  if (!defined()) return *this;
  const std::vector<detail::Capture> kinds = kind_->captures();
  std::vector<Tensor> own = captured_;
  for (std::size_t c = 0; c < own.size(); ++c) {
    Tensor& x = own[c];
    if (kinds[c] != detail::Capture::each_place || x.rank() < 3) continue;
    const Index axis = x.rank() - 3, heads = x.size(axis);
    Shape shape(x.shape().begin(), axis);
    shape.push_back(heads == 1 ? 1 : heads / groups);
    shape.push_back(heads == 1 ? 1 : groups);
    for (Index a = axis + 1; a < x.rank(); ++a) shape.push_back(x.size(a));
    x = reshape(x, shape);
  }
  return with(std::move(own));
}

std::shared_ptr<const kernels::TileMap> ScoreMap::bind(const Shape& scores, DType dtype,
                                                       const std::vector<bool>& wanted) const {
  return defined() ? kind_->bind(scores, dtype, captured_, wanted) : nullptr;
}

}  // namespace heed
