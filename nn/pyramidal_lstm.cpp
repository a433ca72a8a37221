#include "pyramidal_lstm.h"

#include <fmt/format.h>

#include "../autograd/ops/elementwise/compare.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/packed/packed.h"
#include "../autograd/ops/shape/pad.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/checked.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

constexpr const char* kOp = "PyramidalLSTM";
constexpr Index kMostLevels = 16;

PyramidalLSTMOptions checked(const PyramidalLSTMOptions& o) {
  if (o.input < 1 || o.hidden < 1 || o.first < 1 || o.levels < 1 || o.levels > kMostLevels) {
    throw ValueError(fmt::format(
        "{}: input {}, hidden {}, first {} and levels {} must be positive, levels at most {}", kOp,
        o.input, o.hidden, o.first, o.levels, kMostLevels));
  }
  return o;
}

// [B, T, D] with zeros behind each row's end: those that came are not read.
Tensor ended(const Tensor& x, const std::vector<Index>& lengths) {
  const Index B = x.size(0), T = x.size(1);
  Array inside = Array::empty({B, T, 1}, DType::boolean);
  bool* at = inside.mutable_data<bool>();
  for (const Index length : lengths) {
    for (Index t = 0; t < T; ++t) *at++ = t < length;
  }
  return where(Tensor(inside), x, 0);
}

// [B, T, D] -> [B, ceil(T / n), n D]
Tensor side_by_side(const Tensor& x, Index n) {
  const Index B = x.size(0), T = x.size(1), D = x.size(2), places = T / n + (T % n > 0);
  const Index missing = places * n - T;
  return reshape(missing == 0 ? x : pad(x, {0, 0, 0, missing}), {B, places, n * D});
}

}  // namespace

PyramidalLSTM::PyramidalLSTM(const PyramidalLSTMOptions& options)
    : options_(checked(options)),
      layers(child<ModuleListOf<LSTM>>("layers")),
      dropout(child<Dropout>("dropout", options_.dropout)) {
  Index width = options_.input;
  const auto add = [&](Index input) {
    layers.add(LSTMOptions{
        .input = input, .hidden = options_.hidden, .bidirectional = true, .dtype = options_.dtype});
    width = Checked(kOp, options_.hidden) * 2;
  };
  if (options_.bottom) add(width);
  for (Index level = 0; level < options_.levels; ++level) {
    add(Checked(kOp, width) * (level == 0 ? options_.first : 2));
  }
}

PyramidOutput PyramidalLSTM::operator()(const Tensor& x, const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  PyramidOutput out{x, lengths};
  const std::size_t lowest = options_.bottom ? 1 : 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) out.output = dropout(out.output);
    if (i >= lowest) {
      if (out.output.rank() != 3) {
        throw ShapeError(fmt::format("{}: x must be [B, T, {}], not {}", kOp, options_.input,
                                     describe(out.output.array())));
      }
      if (i == 0) check_lengths(kOp, lengths, x);
      if (i == 0 && !lengths.empty()) out.output = ended(x, lengths);
      const Index n = i == lowest ? options_.first : 2;
      out.output = side_by_side(out.output, n);
      for (Index& length : out.lengths) length = length / n + (length % n > 0);
    }
    out.output = layers[i](out.output, out.lengths).output;
  }
  if (lengths.empty()) {
    out.lengths.assign(static_cast<std::size_t>(x.size(0)), out.output.size(1));
  }
  out.output = forwarded(out.output);
  return out;
}

}  // namespace heed::nn
