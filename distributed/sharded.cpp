#include "sharded.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../io/safetensors.h"
#include "alike-inl.h"
#include "handles-inl.h"

namespace heed::distributed {
namespace {

// "parameters.3.exp_avg" -> 3; -1 for what belongs to no parameter.
Index number_of(std::string_view name) {
  constexpr std::string_view kBegin = "parameters.";
  if (!name.starts_with(kBegin)) return -1;
  name.remove_prefix(kBegin.size());
  return number_in<Index>(name.substr(0, name.find('.'))).value_or(-1);
}

}  // namespace

std::vector<Index> owners_of(const std::vector<Tensor>& parameters, Index processes) {
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parameters[a].numel() > parameters[b].numel();
  });
  std::vector<Index> held(static_cast<std::size_t>(processes), 0), out(parameters.size());
  for (const std::size_t i : order) {
    const auto least = std::min_element(held.begin(), held.end());
    *least += parameters[i].numel();
    out[i] = least - held.begin();
  }
  return out;
}

void ShardedBase::share_out() {
  for (const Slot& slot : slots()) parameters_.push_back(slot.parameter);
  owners_ = owners_of(parameters_, world_.size());
}

void ShardedBase::update(Slot&, const Tensor&, Array&) {}  // inner() moves them

// The same parameters, and of the same a gradient, everywhere: each process reads what others moved
// by its own.
void ShardedBase::check_alike() const {
  if (world_.size() == 1) return;
  std::string mine;
  for (const Tensor& each : parameters_)
    mine += describe(each) + (each.grad().defined() ? "\n" : " without a gradient\n");
  check_same(world_, mine, [](std::string_view a, std::string_view b, std::size_t other) {
    for (std::size_t p = 0;; ++p) {
      const std::string_view one = a.substr(0, a.find('\n')), two = b.substr(0, b.find('\n'));
      if (one != two) {
        throw ValueError(fmt::format("sharded: parameter {} is {} on process 0, {} on process {}",
                                     p, one.empty() ? "none" : one, two.empty() ? "none" : two,
                                     other));
      }
      a.remove_prefix(one.size() + 1);
      b.remove_prefix(two.size() + 1);
    }
  });
}

void ShardedBase::step() {
  check_alike();
  for (std::size_t g = 0; g < group_count(); ++g) inner().set_lr(g, lr(g));
  // What others move has no gradient here meanwhile: it is passed over, and gets no state.
  std::vector<std::size_t> moved;
  std::vector<Tensor> hidden(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    moved.push_back(i);
    if (owns(i)) continue;
    hidden[i] = parameters_[i].grad();
    parameters_[i].zero_grad();
  }
  const auto show = [&] {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (hidden[i].defined()) parameters_[i].set_grad(hidden[i]);
    }
  };
  try {
    inner().step();
  } catch (...) {
    show();
    throw;
  }
  show();
  tell(moved);
}

// In place, one after the other: all together would be there once more.
void ShardedBase::tell(const std::vector<std::size_t>& moved) {
  if (world_.size() == 1) return;
  for (const std::size_t i : moved) {
    Array numbers = parameters_[i].array();
    spread(world_, numbers, owners_[i]);
  }
}

optim::NamedArrays ShardedBase::state_dict() const {
  optim::NamedArrays out = Optimizer::state_dict();  // the rates of the groups
  std::vector<optim::NamedArrays> of(parameters_.size());
  for (const std::string& each : world_.gather(io::encode_safetensors(inner().state_dict()))) {
    for (auto& [name, array] : io::decode_safetensors(each, "another process' state").arrays) {
      if (const Index i = number_of(name); i >= 0) {
        of[static_cast<std::size_t>(i)].emplace_back(name, array);
      }
    }
  }
  for (const auto& entries : of) out.insert(out.end(), entries.begin(), entries.end());
  return out;
}

void ShardedBase::load_state_dict(const optim::NamedArrays& entries) {
  optim::NamedArrays own, rates;
  for (const auto& [name, array] : entries) {
    const Index i = number_of(name);
    const bool others = i >= 0 && static_cast<std::size_t>(i) < owners_.size() &&
                        !owns(static_cast<std::size_t>(i));
    if (!others) own.emplace_back(name, array);
    if (i < 0) rates.emplace_back(name, array);
  }
  inner().load_state_dict(entries);  // throws everywhere alike, whosever entry does not fit
  inner().load_state_dict(own);      // and lets go of the others'
  Optimizer::load_state_dict(rates);
}

}  // namespace heed::distributed
