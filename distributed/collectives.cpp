#include "collectives.h"

#include <fmt/format.h>

#include "../autograd/check_defined.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/record.h"
#include "../core/error.h"
#include "../core/kernels/elementwise/elementwise.h"
#include "alike-inl.h"
#include "handles-inl.h"
#include "tree_sum.h"

namespace heed::distributed {
namespace {

void check_alike(const char* op, const World& world, const Tensor& x, const std::string& name) {
  check_calls_alike(op, world, {.name = name, .tensors = said_of(x), .recorded = is_recorded(x)});
  check_defined(op, x, "x");
  if (!is_computed(x.dtype()))
    throw DTypeError(fmt::format("{}: {} is not f32 or f64", op, describe(x)));
}
void check_alike(const char* op, const World& world, const Tensor& x) {
  check_alike(op, world, x, op);
}

struct AddArray {
  void operator()(Array& left, Array&& right) const {
    if (!left.unique()) left = left.clone();
    kernels::add_into(left, right);
  }
};

// [size, ...] -> [...], over the tree that the number of rows decides on.
Array sum_of_rows(const Array& rows) {
  TreeSum<Array, AddArray> tree{AddArray{}};
  for (Index r = 0; r < rows.size(0); ++r) tree.push({r, 1}, rows.select(0, r).clone());
  return *tree.total();
}

Shape with_first(const Shape& shape, Index first) {
  std::vector<Index> sizes{first};
  for (Index axis = 1; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return Shape(sizes);
}

// [size n, ...] -> this process's [n, ...] of the sum of all.
Array scattered_sum(const World& world, const Array& x) {
  std::vector<Index> sizes{world.size(), x.size(0) / world.size()};
  for (Index axis = 1; axis < x.rank(); ++axis) sizes.push_back(x.size(axis));
  return sum_of_rows(world.all_to_all(x.contiguous().reshape(Shape(sizes))));
}

Array gathered(const World& world, const Array& x) {
  return world.all_gather(x).reshape(with_first(x.shape(), world.size() * x.size(0)));
}

}  // namespace

Tensor all_reduce(const World& world, const Tensor& x) {
  check_alike("all_reduce", world, x);
  return record("all_reduce", sum_of_rows(world.all_gather(x.array())), {x},
                [&world](const Tensor& g) { return all_reduce(world, g); });
}

Tensor broadcast(const World& world, const Tensor& x, Index from) {
  check_alike("broadcast", world, x, fmt::format("broadcast from {}", from));
  check_process("broadcast", from, world.size());
  Array numbers = x.array().clone();
  spread(world, numbers, from);
  return record("broadcast", numbers, {x}, [&world, from](const Tensor& g) {
    const Tensor sum = all_reduce(world, g);
    if (world.rank() == from) return sum;
    return masked_fill(sum, Tensor(Array::full({}, 1, DType::boolean)), 0);  // not 0 times it
  });
}

Tensor all_gather(const World& world, const Tensor& x) {
  check_alike("all_gather", world, x);
  if (x.rank() == 0) throw ShapeError("all_gather: a scalar has no axis to be put together along");
  return record("all_gather", gathered(world, x.array()), {x},
                [&world](const Tensor& g) { return reduce_scatter(world, g); });
}

Tensor reduce_scatter(const World& world, const Tensor& x) {
  check_alike("reduce_scatter", world, x);
  if (x.rank() == 0 || x.size(0) % world.size() != 0) {
    throw ShapeError(
        fmt::format("reduce_scatter: the first axis of {} does not divide among {} processes",
                    describe(x), world.size()));
  }
  return record("reduce_scatter", scattered_sum(world, x.array()), {x},
                [&world](const Tensor& g) { return all_gather(world, g); });
}

}  // namespace heed::distributed
