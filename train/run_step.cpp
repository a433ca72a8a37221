// One step of a run: see run.h. What several processes do together is in shared_run.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../core/error.h"
#include "../optim/clip.h"
#include "run.h"
#include "run_state.h"

namespace heed::train {

void check_weight(double weight) {
  check(weight >= 0 && std::isfinite(weight),
        fmt::format("a loss weighs {}, which must be finite and not negative", weight));
}

void scale_gradients(const std::vector<Tensor>& parameters, double factor) {
  const NoGrad scope;
  for (Tensor parameter : parameters) {
    if (parameter.grad().defined()) parameter.set_grad(parameter.grad() * factor);
  }
}

Moment Run::moment(Batches& batches) const {
  Moment out{state_->steps, state_->epochs, 0};
  if (options_.steps > 0) {
    out.done = static_cast<double>(out.step) / static_cast<double>(options_.steps);
  } else {
    const auto count = static_cast<double>(batches.count());
    const double part = count > 0 ? static_cast<double>(batches.index()) / count : 0;
    out.done = (static_cast<double>(out.epoch) + part) / static_cast<double>(options_.epochs);
  }
  return out;
}

std::vector<Tensor> Run::parameters() const {
  std::vector<Tensor> out = model_.parameters();
  std::unordered_set<const TensorImpl*> own;
  for (const Tensor& each : out) own.insert(each.impl());
  for (const Tensor& each : optimizer_.parameters()) {
    if (!own.contains(each.impl())) out.push_back(each);
  }
  return out;
}

// What the optimizer does not move gets gradients, too, which must not add up.
void Run::begin_step(const Moment& at) {
  model_.zero_grad();
  optimizer_.zero_grad();
  const State& s = *state_;
  for (std::size_t g = 0; rate_ && g < s.first_rates.size(); ++g) {
    optimizer_.set_lr(g, rate_(at, s.first_rates[g]));
  }
}

void Run::add_also(const Figures& also, double weight) {
  State& s = *state_;
  if (!s.also_known) {
    check_figures(also);
    s.also = also;
    for (Figure& each : s.also) each.value = 0;
    s.also_known = true;
  }
  check(same_names(also, s.also), "each batch must give the same figures");
  if (weight == 0) return;  // whatever it would count
  for (std::size_t i = 0; i < s.also.size(); ++i) {
    s.also[i].value += also[i].value * weight;
    s.also[i].digits = also[i].digits;
  }
}

void Run::check_stepped() const {
  check(options_.clip == 0, fmt::format("clip {} is of gradients that the run does not see: a "
                                        "function that steps by itself clips them by itself",
                                        options_.clip));
  check(options_.accumulate == 1,
        fmt::format("accumulate {} is not for a function that steps by itself, at each batch",
                    options_.accumulate));
}

// Gradients of a step's batches, in nobody's company. False where there was none.
bool Run::own_step(Batches& batches, const Moment& at, bool& end_of_pass, bool& ours) {
  const PrecisionScope scope(options_.precision);
  State& s = *state_;
  // At the end of a pass there may be fewer; the gradient is the mean of those that there are.
  const Index behind = batches.count() - batches.index();
  const Index expected = behind > 0 ? std::min(options_.accumulate, behind) : options_.accumulate;
  Index taken = 0;
  for (; taken < options_.accumulate; ++taken) {
    if (!batches.next()) {
      end_of_pass = true;
      break;
    }
    if (taken == 0) begin_step(at);
    const Loss loss = batches.loss(at);
    if (loss.tensor.defined()) {
      ours = true;
      const double share = 1 / static_cast<double>(expected);
      (expected == 1 ? loss.tensor : loss.tensor * share).backward();
    }
    const double shown =
        std::isnan(loss.shown) && loss.tensor.defined() ? loss.tensor.item() : loss.shown;
    s.step_loss = taken == 0 ? shown
                             : (s.step_loss * static_cast<double>(taken) + shown) /
                                   static_cast<double>(taken + 1);
    const double weight = loss.weight.value_or(1);
    check_weight(weight);
    if (weight > 0) s.sums.loss += shown * weight;
    s.sums.weight += weight;
    add_also(loss.also, weight);
  }
  if (ours && taken > 0 && taken < expected) {  // nobody knew that the pass would end
    scale_gradients(parameters(), static_cast<double>(expected) / static_cast<double>(taken));
  }
  return taken > 0;
}

// One step of the optimizer; at the end of a pass perhaps of fewer batches, or none.
void Run::step(Batches& batches, bool& end_of_pass) {
  State& s = *state_;
  const Moment at = moment(batches);
  bool ours = team_ != nullptr;
  if (team_ ? shared_step(batches, at, end_of_pass) : own_step(batches, at, end_of_pass, ours)) {
    if (ours) {
      if (options_.clip > 0) optim::clip_grad_norm(parameters(), options_.clip);
      optimizer_.step();
    }
    if (s.ema) s.ema->update();
    ++s.steps;
    for (const auto& log : logs_) {
      log->scalar(s.steps, "step loss", s.step_loss);
      log->scalar(s.steps, "lr", optimizer_.lr());
    }
  }
  const Index count = batches.count();
  if (!end_of_pass && count > 0 && batches.index() == count) end_of_pass = !batches.next();
  if (end_of_pass) ++s.epochs;
}

}  // namespace heed::train
