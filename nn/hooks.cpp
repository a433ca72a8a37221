#include "hooks.h"

#include <atomic>

namespace heed::nn {
namespace {

HookId next_id() {
  static std::atomic<HookId> next{1};
  return next++;
}

}  // namespace

HookId Hooks::add(ForwardHook hook) {
  return forward_.emplace_back(next_id(), std::move(hook)).first;
}

HookId Hooks::add(std::vector<std::pair<Tensor, HookId>> placed) {
  return on_parameters_.emplace_back(next_id(), std::move(placed)).first;
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
  const auto now = forward_;  // a hook may remove itself
  for (const auto& [id, hook] : now) {
    Tensor changed = hook(module, output);
    if (changed.defined()) output = std::move(changed);
  }
  return output;
}

}  // namespace heed::nn
