// Axes: which axes an operator works on, written as one number or as several: `sum(x, 1)`,
// `sum(x, {0, -1})`. None are all of them, where the operator says so.
#pragma once

#include <concepts>
#include <initializer_list>
#include <utility>
#include <vector>

#include "shape.h"

namespace heed {

class Axes : public std::vector<Index> {
 public:
  Axes() = default;
  template <std::integral T>
  requires(!std::same_as<T, bool>) Axes(T axis) : std::vector<Index>(1, static_cast<Index>(axis)) {}
  Axes(std::initializer_list<Index> axes) : std::vector<Index>(axes) {}
  Axes(std::vector<Index> axes) : std::vector<Index>(std::move(axes)) {}
};

}  // namespace heed
