#include "hooks.h"

#include <atomic>

#include "../core/error.h"

namespace heed::nn {
namespace {

HookId next_id() {
  static std::atomic<HookId> next{1};
  return next++;
}

constinit thread_local const HeldOff* t_held_off = nullptr;

}  // namespace

HeldOff::HeldOff(const Module& module) : module_(module), outer_(t_held_off) { t_held_off = this; }
HeldOff::~HeldOff() { t_held_off = outer_; }

bool HeldOff::now(const Module& module) {
  for (const HeldOff* held = t_held_off; held; held = held->outer_) {
    if (&held->module_ == &module) return true;
  }
  return false;
}

HookId Hooks::add(ForwardHook hook) {
  return forward_.emplace_back(next_id(), std::move(hook)).first;
}

HookId Hooks::add(std::vector<std::pair<Tensor, HookId>> placed) {
  return on_parameters_.emplace_back(next_id(), std::move(placed)).first;
}

std::shared_ptr<Watch> Hooks::watch(HookId id, const std::vector<Tensor>& parameters, bool parts,
                                    const std::string& name) {
  if (!watch_) watch_ = std::make_shared<Watch>();
  silent_ = "register_forward_hook: " + name +
            " ran and its hook was not called: end operator() with `return forwarded(...)`";
  const Hook look = [watch = watch_, parts, text = silent_](const Tensor&) -> Tensor {
    if (!watch->called && (watch->entered || !parts)) throw GradError(text);
    return {};
  };
  std::vector<std::pair<Tensor, HookId>> placed;
  for (const Tensor& parameter : parameters) {
    if (parameter.requires_grad()) placed.emplace_back(parameter, parameter.register_hook(look));
  }
  on_parameters_.emplace_back(id, std::move(placed));
  return watch_;
}

void Hooks::check_called() const {
  if (watch_ && watch_->entered && !watch_->called && !forward_.empty()) throw GradError(silent_);
}

void Hooks::remove(HookId id) {
  const auto same = [id](const auto& entry) { return entry.first == id; };
  for (const auto& entry : on_parameters_) {
    if (!same(entry)) continue;
    for (const auto& [tensor, hook] : entry.second) tensor.remove_hook(hook);
  }
  std::erase_if(on_parameters_, same);
  std::erase_if(forward_, same);
}

Tensor Hooks::run(const Module& module, Tensor output) const {
  if (watch_) watch_->called = true;
  if (HeldOff::now(module)) return output;
  const auto now = forward_;  // a hook may remove itself
  for (const auto& [id, hook] : now) {
    Tensor changed = hook(module, output);
    if (changed.defined()) output = std::move(changed);
  }
  return output;
}

}  // namespace heed::nn
