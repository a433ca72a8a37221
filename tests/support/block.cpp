#include "block.h"

#include <algorithm>
#include <stdexcept>

namespace heed {

Block::Block(std::vector<Index> shape, std::vector<double> values)
    : shape_(std::move(shape)), values_(std::move(values)) {}

Block::Block(const std::vector<Index>& shape, const std::function<double(const Place&)>& element)
    : shape_(shape) {
  each_place(shape, [&](const Place& place) { values_.push_back(element(place)); });
}

Block::Block(const Tensor& x)
    : shape_(x.shape().begin(), x.shape().end()),
      values_(x.array().to(DType::f64).to_vector<double>()) {}

std::size_t Block::offset(const Place& place) const {
  const std::size_t lead = place.size() - shape_.size();
  Index at = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    at = at * shape_[axis] + (shape_[axis] == 1 ? 0 : place[lead + axis]);
  }
  return static_cast<std::size_t>(at);
}

std::size_t Block::existing(std::initializer_list<Index> place) const {
  if (place.size() != shape_.size()) throw std::logic_error("a place of another rank");
  std::size_t axis = 0;
  Index at = 0;
  for (const Index i : place) {
    if (i < 0 || i >= shape_[axis]) throw std::logic_error("a place that is not there");
    at = at * shape_[axis++] + i;
  }
  return static_cast<std::size_t>(at);
}

std::vector<double> Block::row(std::initializer_list<Index> place) const {
  if (place.size() + 1 != shape_.size()) throw std::logic_error("a row of another rank");
  Index first = 0;
  std::size_t axis = 0;
  for (const Index i : place) first = first * shape_[axis++] + i;
  const auto begin = values_.begin() + first * shape_.back();
  return {begin, begin + shape_.back()};
}

void each_place(const std::vector<Index>& shape, const std::function<void(const Place&)>& body) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  Place place(shape.size(), 0);
  while (true) {
    body(place);
    std::size_t axis = shape.size();
    while (axis > 0 && ++place[axis - 1] == shape[axis - 1]) place[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace heed
