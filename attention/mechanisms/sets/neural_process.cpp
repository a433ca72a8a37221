#include "neural_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "neural_process";

const NeuralProcessOptions& checked(const NeuralProcessOptions& o) {
  if (o.input > 0 && o.output > 0 && o.width > 0) return o;
  throw ValueError(fmt::format("{}: input {}, output {} and width {} must be positive", kOp,
                               o.input, o.output, o.width));
}

// Over the places that count; 0 where there are none.
Tensor mean_of(const Tensor& x, const Tensor& real) {
  if (!real.defined()) return sum(x, {1}) / static_cast<double>(std::max<Index>(1, x.size(1)));
  const Tensor counts = sum(to(real, x.dtype()), {1}, true);
  return sum(zero_elsewhere(x, real), {1}) / maximum(counts, tensor(1, x.dtype()));
}

}  // namespace

ProcessLayers::ProcessLayers(Index in, Index hidden, Index out, DType dtype)
    : first(child<nn::Linear>("first", in, hidden, true, dtype)),
      second(child<nn::Linear>("second", hidden, out, true, dtype)) {}

Tensor ProcessLayers::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(second(relu(first(x))));
}

NeuralProcess::NeuralProcess(const NeuralProcessOptions& o)
    : options_(checked(o)),
      points(child<ProcessLayers>("points", Checked(kOp, o.input) + o.output, o.width, o.width,
                                  o.dtype)),
      places(child<ProcessLayers>("places", o.input, o.width, o.width, o.dtype)),
      decoder(child<ProcessLayers>("decoder", Checked(kOp, o.latent ? 2 : 1) * o.width + o.input,
                                   o.width, 2 * Checked(kOp, o.output), o.dtype)),
      attend(o.attentive ? &child<MultiHead>("attend", MultiHeadOptions{.width = o.width,
                                                                        .heads = o.heads,
                                                                        .dtype = o.dtype})
                         : nullptr),
      latents(o.latent ? &child<ProcessLayers>("latents", Checked(kOp, o.input) + o.output, o.width,
                                               o.width, o.dtype)
                       : nullptr),
      mu(o.latent ? &child<nn::Linear>("mu", o.width, o.width, true, o.dtype) : nullptr),
      sigma(o.latent ? &child<nn::Linear>("sigma", o.width, o.width, true, o.dtype) : nullptr) {}

NeuralProcess::Normal NeuralProcess::latent(const Tensor& x, const Tensor& y,
                                            const Tensor& real) const {
  const Tensor s = mean_of((*latents)(concat({x, y}, -1)), real);
  return {(*mu)(s), 0.1 + 0.9 * sigmoid((*sigma)(s))};
}

NeuralProcessOutput NeuralProcess::operator()(const Tensor& given_x, const Tensor& given_y,
                                              const Tensor& targets, const Tensor& answers,
                                              const std::vector<Index>& lengths, bool need_weights,
                                              Generator& generator) const {
  const Scope scope(*this);
  const DType dtype = places.first.weight.dtype();
  const auto whole = [&](const char* what, const Tensor& x, Index width) {
    masked_sequence(kOp, what, x, width, dtype, Mask());
    check_rows_of_batch(kOp, what, x, given_x.size(0));
  };
  whole("x", given_x, options_.input);
  whole("y", given_y, options_.output);
  whole("targets", targets, options_.input);
  const auto same = [&](const char* what, const Tensor& y, const char* of, const Tensor& x) {
    if (y.size(1) == x.size(1)) return;
    throw ShapeError(fmt::format("{}: {} {} has another number of points than {} {}", kOp, what,
                                 describe(y), of, describe(x)));
  };
  same("y", given_y, "x", given_x);
  if (answers.defined()) {
    whole("answers", answers, options_.output);
    same("answers", answers, "targets", targets);
  }
  const auto [x, real] = masked_sequence(kOp, "x", given_x, lengths);
  const Tensor y = zero_elsewhere(given_y, real);
  const Index B = x.size(0), M = targets.size(1), E = options_.width;

  const Tensor r = points(concat({x, y}, -1));
  NeuralProcessOutput out;
  Tensor heard;  // [B, M, E]
  if (attend != nullptr) {
    const Terms terms{.mask = of_places(real), .need_weights = need_weights};
    const Attended seen =
        named(kOp, [&, &x = x] { return (*attend)(places(targets), places(x), r, terms); });
    heard = seen.context;
    out.weights = seen.weights;
  } else {
    heard = expand(unsqueeze(mean_of(r, real), 1), {B, M, E});
  }
  std::vector<Tensor> all = {targets, heard};
  if (latents != nullptr) {
    const Normal prior = latent(x, y, real);
    const Normal own = answers.defined() ? latent(targets, answers, Tensor()) : prior;
    const Tensor noise(generator.normal({B, E}, 0, 1, dtype));
    const Tensor z = own.mean + own.deviation * noise;
    all.push_back(expand(unsqueeze(z, 1), {B, M, E}));
    if (answers.defined()) {
      const Tensor ratio = square(own.deviation / prior.deviation);
      const Tensor apart = square((own.mean - prior.mean) / prior.deviation);
      out.kl = sum(ratio + apart - 1 - log(ratio), {-1}) / 2;
    }
  }
  const std::vector<Tensor> both =
      split(decoder(concat(all, -1)), {options_.output, options_.output}, -1);
  out.mean = forwarded(both[0]);
  out.deviation = 0.1 + 0.9 * softplus(both[1]);
  return out;
}

Tensor neural_process_loss(const NeuralProcessOutput& foretold, const Tensor& answers) {
  if (foretold.mean.shape() != answers.shape() || answers.numel() == 0) {
    throw ShapeError(fmt::format("{}: answers {} for what was foretold, {}", kOp, describe(answers),
                                 describe(foretold.mean)));
  }
  const double constant = std::log(2 * std::acos(-1.0)) / 2;
  const Tensor apart = (answers - foretold.mean) / foretold.deviation;
  const Tensor log_p = -(square(apart) / 2 + log(foretold.deviation) + constant);
  Tensor loss = -mean(sum(log_p, {-1}));
  if (!foretold.kl.defined()) return loss;
  return loss + mean(foretold.kl) / static_cast<double>(answers.size(1));
}

}  // namespace heed::attention
