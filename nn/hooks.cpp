#include "hooks.h"

#include <atomic>

#include "../core/error.h"
#include "module.h"

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

void Watch::check() const {
  if (!called && (worked || (children > 0 && ran == children))) throw GradError(silent);
}

ForwardHook Watch::marker(const std::shared_ptr<Watch>& watch) {
  return [watch, counted = std::make_shared<std::atomic<bool>>(false)](const Module& child,
                                                                       const Tensor&) -> Tensor {
    const Scope* scope = Scope::current();
    while (scope != nullptr && &scope->part() == &child) scope = scope->outer();
    if (scope == nullptr && !counted->exchange(true)) ++watch->ran;
    return {};
  };
}

std::shared_ptr<Watch> Hooks::watch(HookId id, const std::vector<Tensor>& parameters,
                                    const std::string& name) {
  watched_.push_back(id);
  if (watch_) return nullptr;
  watch_ = std::make_shared<Watch>();
  watch_->silent = "register_forward_hook: " + name +
                   " ran and its hook was not called: end operator() with `return forwarded(...)`";
  const Hook look = [watch = watch_](const Tensor&) -> Tensor {
    watch->check();
    return {};
  };
  for (const Tensor& parameter : parameters) {
    if (parameter.requires_grad()) looks_.emplace_back(parameter, parameter.register_hook(look));
  }
  return watch_;
}

void Hooks::unwatch() {
  for (const auto& [tensor, hook] : looks_) tensor.remove_hook(hook);
  for (const auto& [on, hook] : markers_) {
    if (const auto child = on.lock()) child->remove_hook(hook);
  }
  looks_.clear();
  markers_.clear();
  watch_.reset();
}

void Hooks::remove(HookId id) {
  const auto same = [id](const auto& entry) { return entry.first == id; };
  for (const auto& entry : on_parameters_) {
    if (!same(entry)) continue;
    for (const auto& [tensor, hook] : entry.second) tensor.remove_hook(hook);
  }
  std::erase_if(on_parameters_, same);
  std::erase_if(forward_, same);
  if (std::erase(watched_, id) > 0 && watched_.empty()) unwatch();
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
