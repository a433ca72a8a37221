#include "gru.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/ops/dropout.h"
#include "../autograd/ops/shape.h"
#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {

GRU::GRU(const GRUOptions& options) : options_(options) {
  const auto& [input, hidden, layers, bidirectional, bias, dropout, dtype] = options_;
  if (input < 1 || hidden < 1 || layers < 1) {
    throw ValueError(fmt::format("GRU: input {}, hidden {} and layers {} must be positive", input,
                                 hidden, layers));
  }
  if (!(dropout >= 0 && dropout <= 1)) {
    throw ValueError(fmt::format("GRU: dropout {} is not in [0, 1]", dropout));
  }
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  const Index directions = bidirectional ? 2 : 1;
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index d = 0; d < directions; ++d) {
      const auto make = [&](const char* name, const Shape& shape, bool used) -> Tensor& {
        return parameter(
            fmt::format("{}_l{}{}", name, layer, d == 0 ? "" : "_reverse"),
            used ? Tensor(default_generator().uniform(shape, -bound, bound, options_.dtype))
                 : Tensor());
      };
      Tensor& w_ih =
          make("weight_ih", {3 * hidden, layer == 0 ? input : directions * hidden}, true);
      Tensor& w_hh = make("weight_hh", {3 * hidden, hidden}, true);
      Tensor& b_ih = make("bias_ih", {3 * hidden}, bias);
      Tensor& b_hh = make("bias_hh", {3 * hidden}, bias);
      parts_.push_back({w_ih, w_hh, b_ih, b_hh});
    }
  }
}

GruResult GRU::operator()(const Tensor& x, const std::vector<Index>& lengths,
                          const Tensor& h0) const {
  const Index directions = options_.bidirectional ? 2 : 1;
  if (h0.defined() && (h0.rank() != 3 || h0.size(0) != options_.layers * directions)) {
    throw ShapeError(fmt::format("GRU: h0 must be [{}, B, {}], not {}",
                                 options_.layers * directions, options_.hidden, describe(h0)));
  }
  Tensor output = x;
  std::vector<Tensor> ends;
  auto part = parts_.begin();
  for (Index layer = 0; layer < options_.layers; ++layer) {
    std::vector<GruWeights> weights;
    for (Index d = 0; d < directions; ++d, ++part) {
      weights.push_back({part->w_ih, part->w_hh, part->b_ih, part->b_hh});
    }
    if (layer > 0 && training() && options_.dropout > 0) output = dropout(output, options_.dropout);
    const Tensor start =
        h0.defined() && options_.layers > 1 ? narrow(h0, 0, layer * directions, directions) : h0;
    GruResult result = gru(output, start, weights, lengths);
    output = std::move(result.output);
    ends.push_back(std::move(result.h_n));
  }
  return {output, options_.layers == 1 ? ends[0] : concat(ends, 0)};
}

}  // namespace heed::nn
