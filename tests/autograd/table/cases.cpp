#include "cases.h"

#include <algorithm>
#include <limits>

#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"

namespace heed::table {
namespace {

// Layouts are made by differentiable operators, so that checks go through them. What lies between
// the elements is NaN: a read beside them shows.
Tensor nothing(const Shape& shape, DType dtype) {
  return full(shape, std::numeric_limits<double>::quiet_NaN(), dtype);
}

Tensor transposed(const Tensor& x) { return transpose(clone(transpose(x, 0, -1)), 0, -1); }

// Every second element of the last axis.
Tensor strided(const Tensor& x) {
  const Index last = x.rank() - 1;
  const Tensor pairs = stack({x, nothing(x.shape(), x.dtype())}, x.rank());
  Shape wide = x.shape();
  wide[last] *= 2;
  return slice(reshape(pairs, wide), last, 0, wide[last], 2);
}

// The middle of something wider.
Tensor offset(const Tensor& x) {
  const Index last = x.rank() - 1;
  Shape side = x.shape();
  side[last] = 2;
  const Tensor edge = nothing(side, x.dtype());
  return narrow(concat({edge, x, edge}, last), last, 2, x.size(last));
}

using Layout = Tensor (*)(const Tensor&);

Call through(const Call& call, Layout layout, Index least_rank) {
  return [call, layout, least_rank](const Tensors& inputs) {
    Tensors laid;
    for (const Tensor& x : inputs) laid.push_back(x.rank() >= least_rank ? layout(x) : x);
    return call(laid);
  };
}

Index first_wide_axis(const Block& x) {
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (x.size(axis) > 1) return axis;
  }
  return -1;
}

// One place of the first axis that has several stands for all of them.
Sample expanded(const Sample& from) {
  Sample to{from.name + ", expanded", {}, {}, {}};
  std::vector<std::vector<Index>> shapes;
  for (const Block& x : from.inputs) {
    shapes.push_back(x.shape());
    std::vector<Index> small = x.shape();
    if (first_wide_axis(x) >= 0) small[static_cast<std::size_t>(first_wide_axis(x))] = 1;
    to.inputs.emplace_back(small, [&](const Place& place) { return x(place); });
  }
  to.call = [call = from.call, shapes](const Tensors& inputs) {
    Tensors wide;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      wide.push_back(expand(inputs[i], Shape(shapes[i])));
    return call(wide);
  };
  to.reference = [reference = from.reference, shapes](const Blocks& inputs) {
    Blocks wide;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      wide.emplace_back(shapes[i], [&](const Place& place) { return inputs[i](place); });
    }
    return reference(wide);
  };
  return to;
}

Sample with_result_transposed(const Sample& from) {
  return {from.name + ", gradient transposed", from.inputs,
          [call = from.call](const Tensors& x) { return transpose(call(x), 0, -1); },
          [reference = from.reference](const Blocks& x) {
            const Block y = reference(x);
            std::vector<Index> shape = y.shape();
            std::swap(shape.front(), shape.back());
            return Block(shape, [&](Place place) {
              std::swap(place.front(), place.back());
              return y(place);
            });
          }};
}

Sample with_result_summed(const Sample& from) {
  return {from.name + ", gradient expanded", from.inputs,
          [call = from.call](const Tensors& x) { return sum(call(x), {0}); },
          [reference = from.reference](const Blocks& x) {
            return fold(reference(x), {0}, false, 0, [](double a, double b) { return a + b; });
          }};
}

// Every input of the shape of the first is the first.
Sample aliased(const Sample& from) {
  std::vector<bool> same;
  Sample to{from.name + ", aliased", {}, {}, {}};
  for (const Block& x : from.inputs) {
    same.push_back(!same.empty() && x.shape() == from.inputs[0].shape());
    if (!same.back()) to.inputs.push_back(x);
  }
  const auto spread = [same](const auto& inputs) {
    auto all = inputs;
    all.clear();
    std::size_t next = 0;
    for (const bool is_first : same) all.push_back(is_first ? inputs[0] : inputs[next++]);
    return all;
  };
  to.call = [call = from.call, spread](const Tensors& x) { return call(spread(x)); };
  to.reference = [reference = from.reference, spread](const Blocks& x) {
    return reference(spread(x));
  };
  return to;
}

Sample frozen(const Sample& from, std::size_t which) {
  const auto place = static_cast<std::ptrdiff_t>(which);
  const Block constant = from.inputs[which];
  Sample to{from.name + ", input " + std::to_string(which) + " frozen", from.inputs, {}, {}};
  to.inputs.erase(to.inputs.begin() + place);
  to.call = [call = from.call, constant, place](const Tensors& inputs) {
    Tensors all = inputs;
    all.insert(all.begin() + place, to_tensor(constant, inputs[0].dtype()));
    return call(all);
  };
  to.reference = [reference = from.reference, constant, place](const Blocks& inputs) {
    Blocks all = inputs;
    all.insert(all.begin() + place, constant);
    return reference(all);
  };
  return to;
}

bool has_rank(const Sample& sample, Index least) {
  return std::any_of(sample.inputs.begin(), sample.inputs.end(),
                     [=](const Block& x) { return x.rank() >= least; });
}

void derive(const Sample& from, std::vector<Sample>& out) {
  const auto relaid = [&](const char* suffix, Layout layout, Index least_rank) {
    if (!has_rank(from, least_rank)) return;
    out.push_back(
        {from.name + suffix, from.inputs, through(from.call, layout, least_rank), from.reference});
  };
  relaid(", transposed", transposed, 2);
  relaid(", strided", strided, 1);
  relaid(", offset", offset, 1);
  if (std::any_of(from.inputs.begin(), from.inputs.end(),
                  [](const Block& x) { return first_wide_axis(x) >= 0; })) {
    out.push_back(expanded(from));
  }
  const Index rank = from.reference(from.inputs).rank();
  if (rank >= 2) out.push_back(with_result_transposed(from));
  if (rank >= 1) out.push_back(with_result_summed(from));
  if (from.inputs.size() < 2) return;
  for (std::size_t i = 1; i < from.inputs.size(); ++i) {
    if (from.inputs[i].shape() != from.inputs[0].shape()) continue;
    out.push_back(aliased(from));
    break;
  }
  for (std::size_t i = 0; i < from.inputs.size(); ++i) out.push_back(frozen(from, i));
}

}  // namespace

std::vector<Sample> cases(const Row& row) {
  std::vector<Sample> out;
  for (const Sample& from : row.samples) {
    out.push_back(from);
    const bool empty = std::any_of(from.inputs.begin(), from.inputs.end(),
                                   [](const Block& x) { return x.values().empty(); });
    if (!empty) derive(from, out);
  }
  return out;
}

}  // namespace heed::table
