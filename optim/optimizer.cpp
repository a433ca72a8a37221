#include "optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "../core/error.h"
#include "../core/faults.h"
#include "../core/kernels/elementwise/copy.h"
#include "../core/quoted.h"
#include "gradient_runs.h"

namespace heed::optim {
namespace {

constexpr Index kMostSteps = Index{1} << 53;  // counted on as doubles

}  // namespace

Optimizer::~Optimizer() = default;

void Optimizer::check_lr(double lr) const {
  if (!(lr >= 0 && std::isfinite(lr))) {
    throw ValueError(fmt::format("{}: lr {} must be finite and not negative", op_, lr));
  }
}

void Optimizer::add_group(const std::vector<Tensor>& parameters, double lr,
                          std::vector<std::string> state_names) {
  check_lr(lr);
  if (parameters.empty()) throw ValueError(fmt::format("{}: a group has no parameters", op_));
  for (const Tensor& parameter : parameters) {
    if (!parameter.defined()) throw ValueError(fmt::format("{}: a parameter is undefined", op_));
    if (!parameter.is_leaf()) {
      throw GradError(
          fmt::format("{}: {} is the result of an operator, not a leaf", op_, describe(parameter)));
    }
    check_floating(op_, parameter.dtype());
    if (std::any_of(slots_.begin(), slots_.end(),
                    [&](const Slot& slot) { return slot.parameter.is_same(parameter); })) {
      throw ValueError(fmt::format("{}: parameter {} is named twice", op_, describe(parameter)));
    }
    slots_.push_back({parameter, groups_.size(), 0, {}});
  }
  groups_.push_back({lr, std::move(state_names)});
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> out;
  out.reserve(slots_.size());
  for (const Slot& slot : slots_) out.push_back(slot.parameter);
  return out;
}

double Optimizer::lr(std::size_t group) const {
  if (group >= groups_.size()) {
    throw IndexError(
        fmt::format("{}: group {} is out of range [0, {})", op_, group, groups_.size()));
  }
  return groups_[group].lr;
}

void Optimizer::set_lr(std::size_t group, double lr) {
  static_cast<void>(this->lr(group));
  check_lr(lr);
  groups_[group].lr = lr;
}

void Optimizer::set_lr(double lr) {
  check_lr(lr);
  for (Group& group : groups_) group.lr = lr;
}

Index Optimizer::size_of(std::size_t group) const {
  return std::count_if(slots_.begin(), slots_.end(),
                       [&](const Slot& slot) { return slot.group == group; });
}

void Optimizer::zero_grad() {
  for (Slot& slot : slots_) slot.parameter.zero_grad();
}

void Optimizer::zero_grad(bool set_to_none) {
  if (!set_to_none) throw ValueError("zero_grad: gradients are forgotten, not filled with zeros");
  zero_grad();
}

void Optimizer::check_slot(const Slot& slot) const {
  check_gradient(op_, slot.parameter);
  if (slot.parameter.grad().defined()) check_floating(op_, slot.parameter.dtype());
  if (slot.steps > 0 && !slot.state.empty() && !(slot.state[0].shape() == slot.parameter.shape())) {
    throw ShapeError(fmt::format("{}: a parameter became {}, its state is {}", op_,
                                 describe(slot.parameter), describe(slot.state[0])));
  }
}

Optimizer::Move Optimizer::prepare(Slot& slot) const {
  Move move{&slot, slot.parameter.grad(), slot.state, slot.parameter.array().contiguous()};
  if (!move.gradient.is_sparse()) move.gradient = Tensor(move.gradient.array().contiguous());
  move.state.resize(groups_[slot.group].state_names.size());
  for (Array& state : move.state) {
    // The model's dtype may have changed since the last step.
    state = state.defined() ? state.to(move.numbers.dtype())
                            : Array::zeros(move.numbers.shape(), move.numbers.dtype());
  }
  return move;
}

void Optimizer::step() {
  for (const Slot& slot : slots_) check_slot(slot);
  std::vector<Move> moves;  // what can fail has been done before the first parameter moves
  moves.reserve(slots_.size());
  for (Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) moves.push_back(prepare(slot));
  }
  for (Move& move : moves) {
    Slot& slot = *move.slot;
    slot.state = std::move(move.state);
    ++slot.steps;
    update(slot, move.gradient, move.numbers);
    Array numbers = slot.parameter.array();
    if (!move.numbers.shares_storage(numbers)) kernels::copy_into(numbers, move.numbers);
    numbers.bump_version();
  }
}

NamedArrays Optimizer::state_dict() const {
  NamedArrays out;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    out.emplace_back(fmt::format("groups.{}.lr", i), Array::full({}, groups_[i].lr, DType::f64));
    if (groups_.size() == 1) continue;  // the size says nothing
    out.emplace_back(fmt::format("groups.{}.size", i),
                     Array::from(std::vector<std::int64_t>{size_of(i)}, {}));
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.steps == 0) continue;
    out.emplace_back(fmt::format("parameters.{}.step", i),
                     Array::from(std::vector<std::int64_t>{slot.steps}, {}));
    const auto& names = groups_[slot.group].state_names;
    for (std::size_t k = 0; k < names.size(); ++k) {
      out.emplace_back(fmt::format("parameters.{}.{}", i, names[k]), slot.state[k]);
    }
  }
  return out;
}

void Optimizer::load_state_dict(const NamedArrays& entries) {
  std::unordered_map<std::string, Array> given;
  Faults faults;
  for (const auto& [name, array] : entries) {
    if (!given.emplace(name, array).second)
      faults.add(fmt::format("{} is named twice", in_quotes(name)));
  }
  // Removes and returns what has this name, undefined (and a fault) unless it is as wanted.
  const auto take = [&](const std::string& name, const Shape& shape, DType dtype) {
    const auto found = given.find(name);
    if (found == given.end()) {
      faults.add(fmt::format("{} is missing", in_quotes(name)));
      return Array();
    }
    Array array = found->second;
    given.erase(found);
    if (array.defined() && array.shape() == shape && array.dtype() == dtype) return array;
    faults.add(fmt::format("{} is {}, not {}{}", in_quotes(name), describe(array),
                           heed::name(dtype), to_string(shape)));
    return Array();
  };
  std::vector<double> rates;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::string name = fmt::format("groups.{}.lr", i);
    const Array lr = take(name, {}, DType::f64);
    rates.push_back(lr.defined() ? lr.item() : 0);
    if (!(rates.back() >= 0 && std::isfinite(rates.back()))) {
      faults.add(fmt::format("\"{}\" is {}, not finite or negative", name, rates.back()));
    }
    const std::string size_name = fmt::format("groups.{}.size", i);
    if (!given.contains(size_name)) continue;  // an earlier version's
    const Array size = take(size_name, {}, DType::i64);
    if (size.defined() && *size.data<std::int64_t>() != size_of(i)) {
      faults.add(
          fmt::format("\"{}\" is {}, not {}", size_name, *size.data<std::int64_t>(), size_of(i)));
    }
  }
  std::vector<Slot> loaded = slots_;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = loaded[i];
    slot.steps = 0;
    slot.state.clear();
    const std::string name = fmt::format("parameters.{}.", i);
    if (!given.contains(name + "step")) continue;  // never stepped
    const Array steps = take(name + "step", {}, DType::i64);
    if (steps.defined()) slot.steps = *steps.data<std::int64_t>();
    if (steps.defined() && (slot.steps < 1 || slot.steps > kMostSteps)) {
      faults.add(fmt::format("\"{}step\" is {}, not in [1, 2^53]", name, slot.steps));
    }
    for (const std::string& state : groups_[slot.group].state_names) {
      const Array array = take(name + state, slot.parameter.shape(), slot.parameter.dtype());
      slot.state.push_back(array.defined() ? array.clone() : Array());
    }
  }
  for (const auto& entry : entries) {
    if (given.erase(entry.first))
      faults.add(fmt::format("{} is unexpected", in_quotes(entry.first)));
  }
  if (!faults.empty()) {
    throw ValueError(fmt::format("{}: the entries do not fit: {}", op_, faults.text()));
  }
  slots_ = std::move(loaded);
  for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].lr = rates[i];
}

}  // namespace heed::optim
