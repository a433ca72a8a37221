#include "ring_attention.h"

#include <fmt/format.h>

#include <limits>

#include "../attention/attend.h"
#include "../attention/merge.h"
#include "../autograd/backward.h"
#include "../autograd/check_defined.h"
#include "../autograd/function.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/ops/shape/widened.h"
#include "../core/error.h"
#include "alike-inl.h"

namespace heed::distributed {
namespace {

constexpr const char* kName = "ring_attention";

// Keys, values and what else goes around, one step on.
void turn(const World& world, std::vector<Array>& parts) {
  const Index next = (world.rank() + 1) % world.size(),
              before = (world.rank() + world.size() - 1) % world.size();
  for (Array& each : parts) each = world.exchange(each, next, before);
}

// Which keys of another's part a query sees, by their places in the two parts.
enum class Sight : std::uint8_t { none, earlier, up_to_own, all };

// Whose part is here after so many turns.
Index owner_after(const World& world, Index turns) {
  return (world.rank() + world.size() - turns) % world.size();
}
Sight sight(const World& world, Index owner, const RingOptions& options) {
  if (!options.causal) return Sight::all;
  if (owner == world.rank()) return Sight::up_to_own;
  const bool before = owner < world.rank();
  if (options.striped) return before ? Sight::up_to_own : Sight::earlier;
  return before ? Sight::all : Sight::none;
}

attention::Attended look(const Tensor& query, const Tensor& keys, const Tensor& values,
                         Sight sight) {
  attention::Terms terms{.need_log_sums = true};
  if (sight != Sight::all) terms.mask = attention::Mask::causal();
  const Index n = query.size(-2);
  if (sight != Sight::earlier || n == 0) return attention::attend(query, keys, values, terms);
  // The first query sees nothing, the second one the first key.
  attention::Attended out = attention::attend(
      narrow(query, -2, 1, n - 1), narrow(keys, -2, 0, n - 1), narrow(values, -2, 0, n - 1), terms);
  Shape first = out.context.shape(), sum = out.log_sums.shape();
  first[first.rank() - 2] = sum[sum.rank() - 1] = 1;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  out.context = concat({Tensor(Array::zeros(first, query.dtype())), out.context}, -2);
  out.log_sums = concat({Tensor(Array::full(sum, kNone, query.dtype())), out.log_sums}, -1);
  return out;
}

// What processes compare before anything goes around.
Call call_of(std::string name, const RingOptions& options, const Tensor& query, const Tensor& keys,
             const Tensor& values) {
  return {.name = std::move(name),
          .options = fmt::format("{}{}", options.causal ? "causal" : "not causal",
                                 options.striped ? ", striped" : ""),
          .tensors = fmt::format("query {}, keys {}, values {}", said_of(query), said_of(keys),
                                 said_of(values))};
}

Gradients walk_back(const World& world, const RingOptions& options, const Tensor& g,
                    const Tensor& query, const Tensor& keys, const Tensor& values,
                    const Tensor& context, const Tensor& log_sums) {
  check_calls_alike(kName, world,
                    call_of("ring_attention's pass backward", options, query, keys, values));
  const GradMode recording(true);
  const Tensor q = query.detach().requires_grad_();
  Tensor query_gradient = Tensor(Array::zeros(query.shape(), query.dtype()));
  const Array none_k = Array::zeros(keys.shape(), keys.dtype()),
              none_v = Array::zeros(values.shape(), values.dtype());
  std::vector<Array> around{keys.array(), values.array(), none_k, none_v};
  for (Index turns = 0; turns < world.size(); ++turns) {
    const Sight seen = sight(world, owner_after(world, turns), options);
    if (seen != Sight::none) {
      const Tensor k = Tensor(around[0]).requires_grad_(), v = Tensor(around[1]).requires_grad_();
      const attention::Attended part = look(q, k, v, seen);
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
  Call mine = call_of(kName, options, query, keys, values);
  mine.recorded = is_recorded(query, keys, values);
  check_calls_alike(kName, world, mine);
  check_defined(kName, query, "query", keys, "keys", values, "values");
  if (heed::detail::hold_bf16(query, keys, values)) {
    return ring_attention(world, heed::detail::wide(query), heed::detail::wide(keys),
                          heed::detail::wide(values), options);
  }
  if (options.causal && query.size(-2) != keys.size(-2)) {
    throw ShapeError(fmt::format("{}: causal, but as many queries as keys are not there: {}", kName,
                                 mine.tensors));
  }
  attention::Attended sum;
  {
    const NoGrad scope;
    std::vector<Array> around{keys.array(), values.array()};
    for (Index turns = 0; turns < world.size(); ++turns) {
      const Sight seen = sight(world, owner_after(world, turns), options);
      if (seen != Sight::none) {
        attention::Attended part = look(query, Tensor(around[0]), Tensor(around[1]), seen);
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
