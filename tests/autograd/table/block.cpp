#include "block.h"

namespace heed::table {

Block map(const Block& x, const std::function<double(double)>& f) {
  std::vector<double> values;
  for (const double value : x.values()) values.push_back(f(value));
  return {x.shape(), std::move(values)};
}

Block map(const Block& x, const Block& y, const std::function<double(double, double)>& f) {
  std::vector<Index> shape = x.rank() >= y.rank() ? x.shape() : y.shape();
  const std::vector<Index>& other = x.rank() >= y.rank() ? y.shape() : x.shape();
  const std::size_t lead = shape.size() - other.size();
  for (std::size_t axis = 0; axis < other.size(); ++axis) {
    if (shape[lead + axis] == 1) shape[lead + axis] = other[axis];
  }
  return Block(shape, [&](const Place& place) { return f(x(place), y(place)); });
}

Block fold(const Block& x, std::vector<Index> axes, bool keepdim, double start,
           const std::function<double(double, double)>& step) {
  std::vector<bool> goes(x.shape().size(), axes.empty());
  for (const Index axis : axes)
    goes[static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis)] = true;
  std::vector<Index> kept, shape;
  for (std::size_t axis = 0; axis < goes.size(); ++axis) {
    kept.push_back(goes[axis] ? 1 : x.shape()[axis]);
    if (!goes[axis] || keepdim) shape.push_back(kept.back());
  }
  Block out(kept, [&](const Place&) { return start; });
  each_place(x.shape(), [&](const Place& place) { out.at(place) = step(out(place), x(place)); });
  return {shape, out.values()};
}

Place replaced(Place place, Index axis, Index index) {
  place[static_cast<std::size_t>(axis)] = index;
  return place;
}

Place without(Place place, Index axis) {
  place.erase(place.begin() + axis);
  return place;
}

Place with(Place place, Index axis, Index index) {
  place.insert(place.begin() + axis, index);
  return place;
}

}  // namespace heed::table
