#include "recurrent.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/ops/elementwise/dropout.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {

Recurrent::Recurrent(const char* name, kernels::RnnCell cell, const RecurrentOptions& options)
    : name_(name), cell_(cell), options_(options) {
  const auto& [input, hidden, layers, bidirectional, bias, dropout, dtype] = options_;
  if (input < 1 || hidden < 1 || layers < 1) {
    throw ValueError(fmt::format("{}: input {}, hidden {} and layers {} must be positive", name,
                                 input, hidden, layers));
  }
  if (!(dropout >= 0 && dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", name, dropout));
  }
  forwards_always();
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  const Index rows = checked_mul(name, kernels::parts_of(cell).gates, hidden);
  const Index directions = bidirectional ? 2 : 1;
  const Index from_below = checked_mul(name, directions, hidden);
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index d = 0; d < directions; ++d) {
      const auto make = [&](const char* kind, const Shape& shape, bool used) -> Tensor& {
        return parameter(
            fmt::format("{}_l{}{}", kind, layer, d == 0 ? "" : "_reverse"),
            used ? Tensor(default_generator().uniform(shape, -bound, bound, options_.dtype))
                 : Tensor());
      };
      Tensor& w_ih = make("weight_ih", {rows, layer == 0 ? input : from_below}, true);
      Tensor& w_hh = make("weight_hh", {rows, hidden}, true);
      Tensor& b_ih = make("bias_ih", {rows}, bias);
      Tensor& b_hh = make("bias_hh", {rows}, bias);
      parts_.push_back({w_ih, w_hh, b_ih, b_hh});
    }
  }
}

std::vector<Tensor> Recurrent::run(const Packed& x, const LstmState& start) const {
  return run(x.tokens, heed::detail::sequences_of(heed::detail::name_of(cell_), x), start);
}

std::vector<Tensor> Recurrent::run(const Tensor& x, const heed::detail::Sequences& sequences,
                                   const LstmState& start) const {
  const Index layers = options_.layers, directions = options_.bidirectional ? 2 : 1;
  const auto check = [&](const char* what, const Tensor& states) {
    if (states.defined() && (states.rank() != 3 || states.size(0) != layers * directions)) {
      throw ShapeError(fmt::format("{}: {} must be [{}, B, {}], not {}", name_, what,
                                   layers * directions, options_.hidden, describe(states)));
    }
  };
  check("h0", start.h);
  check("c0", start.c);
  std::vector<Tensor> results = {x};
  std::vector<std::vector<Tensor>> ends(2);  // of each state, by layer
  auto part = parts_.begin();
  for (Index layer = 0; layer < layers; ++layer) {
    std::vector<RnnWeights> weights;
    for (Index d = 0; d < directions; ++d, ++part) {
      weights.push_back({part->w_ih, part->w_hh, part->b_ih, part->b_hh});
    }
    const auto of_layer = [&](const Tensor& states) {
      return states.defined() && layers > 1 ? narrow(states, 0, layer * directions, directions)
                                            : states;
    };
    Tensor from = results[0];
    if (layer > 0 && training() && options_.dropout > 0) from = dropout(from, options_.dropout);
    results = heed::detail::recurrent(cell_, from, {of_layer(start.h), of_layer(start.c)}, weights,
                                      sequences);
    for (std::size_t i = 1; i < results.size(); ++i) ends[i - 1].push_back(results[i]);
  }
  for (std::size_t i = 1; i < results.size() && layers > 1; ++i) {
    results[i] = concat(ends[i - 1], 0);
  }
  return results;
}

}  // namespace heed::nn
