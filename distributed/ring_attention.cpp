#include "ring_attention.h"

#include <fmt/format.h>

#include "../attention/attend.h"
#include "../attention/merge.h"
#include "../autograd/backward.h"
#include "../autograd/check_defined.h"
#include "../autograd/function.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"

namespace heed::distributed {
namespace {

constexpr const char* kName = "ring_attention";

// Keys, values and what else goes around, one step on.
void turn(const World& world, std::vector<Array>& parts) {
  const Index next = (world.rank() + 1) % world.size(),
              before = (world.rank() + world.size() - 1) % world.size();
  for (Array& each : parts) each = world.exchange(each, next, before);
}

attention::Attended look(const Tensor& query, const Tensor& keys, const Tensor& values, bool own,
                         const RingOptions& options) {
  attention::Terms terms{.need_log_sums = true};
  if (own && options.causal) terms.mask = attention::Mask::causal();
  return attention::attend(query, keys, values, terms);
}

// Whose part is here after so many turns; whether queries of this process may see any of it.
Index owner_after(const World& world, Index turns) {
  return (world.rank() + world.size() - turns) % world.size();
}
bool seen(const World& world, Index owner, const RingOptions& options) {
  return !options.causal || owner <= world.rank();
}

Gradients walk_back(const World& world, const RingOptions& options, const Tensor& g,
                    const Tensor& query, const Tensor& keys, const Tensor& values,
                    const Tensor& context, const Tensor& log_sums) {
  const GradMode recording(true);
  const Tensor q = query.detach().requires_grad_();
  Tensor query_gradient = Tensor(Array::zeros(query.shape(), query.dtype()));
  const Array none_k = Array::zeros(keys.shape(), keys.dtype()),
              none_v = Array::zeros(values.shape(), values.dtype());
  std::vector<Array> around{keys.array(), values.array(), none_k, none_v};
  for (Index turns = 0; turns < world.size(); ++turns) {
    const Index owner = owner_after(world, turns);
    if (seen(world, owner, options)) {
      const Tensor k = Tensor(around[0]).requires_grad_(), v = Tensor(around[1]).requires_grad_();
      const attention::Attended part = look(q, k, v, turns == 0, options);
      Tensor to_context, to_sums;
      {
        const NoGrad scope;
        const Tensor share = exp(part.log_sums.detach() - log_sums);
        to_context = unsqueeze(share, -1) * g;
        to_sums = share * sum(g * (part.context.detach() - context), {-1});
      }
      const auto found = grad({part.context, part.log_sums}, {q, k, v}, {to_context, to_sums});
      const NoGrad scope;
      query_gradient = query_gradient + found[0];
      around[2] = (Tensor(around[2]) + found[1]).array();
      around[3] = (Tensor(around[3]) + found[2]).array();
    }
    turn(world, around);  // after the last turn each gradient is at home
  }
  return {query_gradient, Tensor(around[2]), Tensor(around[3])};
}

}  // namespace

Tensor ring_attention(const World& world, const Tensor& query, const Tensor& keys,
                      const Tensor& values, const RingOptions& options) {
  for (const auto& [x, what] : {std::pair(&query, "query"), {&keys, "keys"}, {&values, "values"}}) {
    check_defined(kName, *x, what);
  }
  const std::string mine = fmt::format("query {}, keys {}, values {}", describe(query),
                                       describe(keys), describe(values));
  const std::vector<std::string> all = world.gather(mine);
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] != all[0])
      throw ShapeError(
          fmt::format("{}: process 0 has {}; process {} {}", kName, all[0], r, all[r]));
  }
  if (options.causal && query.size(-2) != keys.size(-2)) {
    throw ShapeError(
        fmt::format("{}: causal, but as many queries as keys are not there: {}", kName, mine));
  }
  attention::Attended sum;
  {
    const NoGrad scope;
    std::vector<Array> around{keys.array(), values.array()};
    for (Index turns = 0; turns < world.size(); ++turns) {
      if (seen(world, owner_after(world, turns), options)) {
        attention::Attended part =
            look(query, Tensor(around[0]), Tensor(around[1]), turns == 0, options);
        sum = turns == 0 ? std::move(part) : attention::merge({sum, part});
      }
      if (turns + 1 < world.size()) turn(world, around);
    }
  }
  // What is kept is of this process's part alone.
  const auto rule = [&world, options, query = Saved(query), keys = Saved(keys),
                     values = Saved(values), context = sum.context,
                     log_sums = sum.log_sums](const Gradients& g, const std::vector<bool>&) {
    return once_differentiable([&](const Tensor& gradient) {
      return walk_back(world, options, gradient, query(), keys(), values(), context, log_sums);
    })(g[0]);
  };
  return record_joint(kName, {sum.context.array().clone()}, {query, keys, values}, rule)[0];
}

}  // namespace heed::distributed
