#include "control_variate.h"

#include <fmt/format.h>

#include <cmath>

#include "../../core/error.h"
#include "../backward.h"
#include "../check_defined.h"
#include "../function.h"
#include "../ops/elementwise/activation.h"
#include "../ops/elementwise/compare.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/index/index.h"
#include "../ops/normalise/softmax.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"

namespace heed {
namespace {

// What a masked place has for -infinity: far away, and still a number to calculate with.
constexpr double kFar = -1e30;

Tensor log_probs_of(const Tensor& logits) {
  const Tensor l = log_softmax(logits, -1);
  return where(isfinite(l), l, kFar);
}

// One choice as it was made: b = argmax z, z = log p + noise.
struct Draw {
  Tensor logits;  // on the tape
  Tensor noise, z;
  Choice choice;
};

class GumbelChoices final : public Choices {
 public:
  explicit GumbelChoices(Generator* generator) : generator_(generator) {}
  Choice choose(const Tensor& logits) override {
    const auto from = Categorical::from_logits(logits);
    const NoGrad scope;
    Draw draw;
    draw.logits = logits;
    draw.noise = gumbel_noise(logits.shape(), logits.dtype(), generator_);
    draw.z = log_probs_of(logits) + draw.noise;
    draw.choice = Choice::hard(argmax(draw.z, -1), from.places(), logits.dtype());
    draws.push_back(draw);
    return draw.choice;
  }
  std::vector<Draw> draws;

 private:
  Generator* generator_;
};

// Choices after the t-th, relaxed under the noise that they were drawn with.
class SameNoise final : public Choices {
 public:
  SameNoise(const std::vector<Draw>& draws, std::size_t next, const Tensor& tau)
      : draws_(draws), next_(next), tau_(tau) {}
  Choice choose(const Tensor& logits) override {
    if (next_ >= draws_.size()) {
      throw GradError(fmt::format(
          "control variate: the function made {} choices, and more when they were relaxed",
          draws_.size()));
    }
    return Choice::soft(softmax((log_probs_of(logits) + draws_[next_++].noise) / tau_, -1));
  }

 private:
  const std::vector<Draw>& draws_;
  std::size_t next_;
  const Tensor& tau_;
};

// z~ ~ p(z | b), equal to z in value: with the largest z_b given, exp(-z_i) - exp(-z_b) is an
// exponential variable over p_i, which is what ties z_i to p_i.
//   z~_i = -log((exp(-z_i) - exp(-z_b)) stop(p_i) / p_i + exp(-z_b)),  z~_b = z_b
Tensor conditional(const Draw& draw, const Tensor& log_p) {
  Tensor largest, start;
  {
    const NoGrad scope;
    largest = amax(draw.z, {-1}, true);
    start = log(-expm1(draw.z - largest)) - draw.z + log_p + largest;
  }
  return largest - softplus(start - log_p);
}

// Adds the axes of size 1 that a cost [B] lacks beside z [B, .., L].
Tensor beside(const Tensor& cost, Index rank) {
  Shape shape = cost.shape();
  while (shape.rank() < rank) shape.push_back(1);
  return reshape(cost, shape);
}

void check_cost(const char* op, const Tensor& cost, const std::vector<Draw>& draws) {
  check_defined(op, cost, "cost");
  if (draws.empty()) throw GradError(fmt::format("{}: the function made no choice", op));
  if (any(isnan(cost)).item() != 0) {
    throw ValueError(fmt::format("{}: cost {} holds a NaN", op, describe(cost)));
  }
  for (const Draw& draw : draws) {
    bool fits = cost.rank() < draw.logits.rank();
    for (Index axis = 0; fits && axis < cost.rank(); ++axis) {
      fits = cost.size(axis) == draw.logits.size(axis);
    }
    if (fits) continue;
    throw ShapeError(fmt::format("{}: cost {} must have the first axes of the logits {}", op,
                                 describe(cost), describe(draw.logits)));
  }
}

struct Control {
  Tensor tau, eta;          // rank 0, f64; undefined: the cost is not relaxed
  ControlVariate more;      // null: none
  std::vector<Tensor> own;  // trained; empty: nothing is
};

// A gradient known already: value 0, rule g * gradient.
Tensor carry(const char* op, const Tensor& x, const Tensor& gradient, DType dtype) {
  return record(op, Array::zeros({}, dtype), {x}, once_differentiable([gradient](const Tensor& g) {
                  return to(g, gradient.dtype()) * gradient;
                }));
}

Tensor estimate(const char* op, const ChoiceCost& cost, const Control& control,
                Generator* generator) {
  GumbelChoices made(generator);
  const Tensor f = cost(made);
  check_cost(op, f, made.draws);
  Tensor loss = mean(f);
  if (!recording()) return loss;

  const auto count = static_cast<double>(f.numel());
  const bool relaxes = control.eta.defined();
  const Tensor tau = relaxes ? to(control.tau, f.dtype()) : Tensor();
  const Tensor eta = relaxes ? to(control.eta, f.dtype()) : Tensor();
  const bool trains = !control.own.empty();
  Tensor squares;
  std::vector<Choice> before;
  for (std::size_t t = 0; t < made.draws.size(); ++t) {
    const Draw& draw = made.draws[t];
    Tensor logits = draw.logits.detach();
    logits.set_requires_grad();
    const Tensor log_p = log_probs_of(logits);
    const auto c = [&](const Tensor& z) {
      Tensor out;
      if (relaxes) {
        std::vector<Choice> prescribed = before;
        prescribed.push_back(Choice::soft(softmax(z / tau, -1)));
        SameNoise rest(made.draws, t + 1, tau);
        ReplayedChoices replay(std::move(prescribed), &rest);
        out = eta * cost(replay);
      }
      if (!control.more) return out;
      const Tensor more = control.more(z, static_cast<Index>(t));
      if (more.shape() != f.shape()) {
        throw ShapeError(fmt::format("{}: the control variate is {}, the cost {}", op,
                                     describe(more), describe(f)));
      }
      return out.defined() ? out + more : more;
    };
    // d/dlogits of log p(b), for each row: one at b less p.
    const Tensor score = draw.choice.weights() - exp(log_p.detach());
    Tensor gradient = beside(f.detach(), logits.rank()) * score;
    if (relaxes || control.more) {
      const Tensor conditioned = c(conditional(draw, log_p));
      const Tensor free = c(log_p + draw.noise);
      const Tensor difference = sum(free - conditioned);
      gradient = gradient - beside(conditioned, logits.rank()) * score;
      if (difference.requires_grad()) {
        const Tensor path = grad({difference}, {logits}, {}, {.create_graph = trains})[0];
        if (path.defined()) gradient = gradient + path;
      }
    }
    if (trains) {
      const Tensor more = sum(square(gradient));
      squares = squares.defined() ? squares + more : more;
    }
    if (draw.logits.requires_grad()) {
      loss = loss + carry(op, draw.logits, gradient.detach() / count, f.dtype());
    }
    before.push_back(draw.choice);
  }
  if (trains && squares.requires_grad()) {
    // The mean is the gradient whatever the control variate: what its square loses is variance.
    const std::vector<Tensor> gradients = grad({squares / count}, control.own);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      loss = loss + carry(op, control.own[i], gradients[i].detach(), f.dtype());
    }
  }
  return loss;
}

void check_start(const char* op, double tau, double eta) {
  if (!(tau > 0)) throw ValueError(fmt::format("{}: tau {} must be positive", op, tau));
  if (!std::isfinite(eta)) throw ValueError(fmt::format("{}: eta {} must be finite", op, eta));
}

}  // namespace

Rebar::Rebar(double tau, double eta) : tau_(tau), eta_(eta) { check_start("Rebar", tau, eta); }

Tensor Rebar::operator()(const ChoiceCost& cost, Generator* generator) {
  return estimate("Rebar", cost, {tensor(tau_, DType::f64), tensor(eta_, DType::f64), nullptr, {}},
                  generator);
}

Relax::Relax(const RelaxOptions& options) : control_(options.control), own_(options.parameters) {
  check_start("Relax", options.tau, options.eta);
  if (options.eta == 0) return;
  log_tau_ = tensor(std::log(options.tau), DType::f64).set_requires_grad();
  eta_ = tensor(options.eta, DType::f64).set_requires_grad();
}

std::vector<Tensor> Relax::parameters() const {
  std::vector<Tensor> out = own_;
  if (eta_.defined()) out.insert(out.end(), {log_tau_, eta_});
  return out;
}

Tensor Relax::operator()(const ChoiceCost& cost, Generator* generator) {
  return estimate("Relax", cost,
                  {eta_.defined() ? exp(log_tau_) : Tensor(), eta_, control_, parameters()},
                  generator);
}

}  // namespace heed
