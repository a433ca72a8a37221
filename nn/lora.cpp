#include "lora.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/grad_mode.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

bool holds(const std::string& path, const std::string& part) {
  const bool numbered = !part.empty() && part.back() >= '0' && part.back() <= '9';
  for (auto at = path.find(part); at != std::string::npos; at = path.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (!numbered || end == path.size() || path[end] == '.') return true;
  }
  return false;
}

bool is_at(const Module& module, const std::vector<std::string>& at) {
  const std::string path = module.path();
  return at.empty() || std::any_of(at.begin(), at.end(),
                                   [&](const std::string& part) { return holds(path, part); });
}

bool is_lora(const std::string& name) {
  return name.ends_with(".lora_a") || name.ends_with(".lora_b");
}

std::vector<std::pair<Tensor, LowRank*>> all_of(Module& model, const char* who) {
  std::vector<std::pair<Tensor, LowRank*>> out;
  for (Module* module : model.modules()) {
    if (auto* layer = dynamic_cast<Adaptable*>(module)) {
      for (auto& entry : layer->adapters()) out.push_back(std::move(entry));
    }
  }
  if (out.empty()) throw ValueError(fmt::format("{}: the model has no adapters", who));
  return out;
}

}  // namespace

std::vector<Module*> lora_layers(Module& model, const std::vector<std::string>& at) {
  std::vector<Module*> out;
  for (Module* module : model.modules()) {
    auto* layer = dynamic_cast<Adaptable*>(module);
    if (layer == nullptr) continue;
    if (!layer->adapters().empty()) throw ValueError("add_lora: the model has adapters");
    if (layer->adaptable() && is_at(*module, at)) out.push_back(module);
  }
  if (out.empty()) throw ValueError("add_lora: no layer with a matrix is where they should go");
  return out;
}

Index add_lora(Module& model, const LoraOptions& options) {
  const LowRankOptions each{options.rank, options.alpha, options.dropout};
  check_low_rank(each);  // before anything is changed
  const std::vector<Module*> layers = lora_layers(model, options.at);
  model.requires_grad(false);
  Index count = 0;
  for (Module* module : layers) {
    auto* layer = dynamic_cast<Adaptable*>(module);
    layer->adapt(each);
    for (const auto& entry : layer->adapters()) {
      entry.second->train(module->training());
      ++count;
    }
  }
  return count;
}

void merge_lora(Module& model) {
  auto all = all_of(model, "merge_lora");
  std::erase_if(all, [](const auto& entry) { return entry.second->merged(); });
  if (all.empty()) return;  // the state dict of a model rounded since is refused
  for (const auto& [weight, adapter] : all) {
    if (weight.defined() && weight.dtype() != DType::bf16) continue;
    throw ValueError(adapter->path() + ": merge_lora: a weight in 8 bits or bf16 takes nothing in");
  }
  const NamedTensors named = model.state_dict();
  for (const auto& [weight, adapter] : all) {
    const void* const numbers = weight.array().raw();
    const auto names = std::count_if(named.begin(), named.end(), [&](const auto& entry) {
      return entry.second.array().raw() == numbers;
    });
    if (names > 1) {
      throw ValueError(adapter->path() + ": merge_lora: the weight beside it serves elsewhere too");
    }
  }
  for (const auto& [weight, adapter] : all) adapter->merge(weight);
}

void unmerge_lora(Module& model) {
  const auto all = all_of(model, "unmerge_lora");
  for (const auto& [weight, adapter] : all) adapter->check_unmerge(weight);
  for (const auto& [weight, adapter] : all) adapter->unmerge(weight);
}

bool has_unmerged_lora(const Module& model) {
  const auto* const adapter = dynamic_cast<const LowRank*>(&model);
  if (adapter != nullptr && !adapter->merged()) return true;
  const auto children = model.children();
  return std::any_of(children.begin(), children.end(),
                     [](const auto& child) { return has_unmerged_lora(*child.second); });
}

NamedTensors lora_state(const Module& model) {
  NamedTensors out;
  for (auto& [name, tensor] : model.named_parameters()) {
    if (is_lora(name)) out.emplace_back(name, tensor.detach());
  }
  return out;
}

NamedTensors state_without_lora(const Module& model) {
  NamedTensors out = model.state_dict();
  std::erase_if(out, [](const auto& entry) { return is_lora(entry.first); });
  return out;
}

void load_lora(Module& model, const NamedTensors& entries) {
  all_of(model, "load_lora");
  const NamedTensors ours = lora_state(model);
  const auto fail = [](const std::string& what) {
    throw ValueError("load_lora: the entries do not fit the model: " + what);
  };
  std::vector<std::pair<Tensor, Array>> copies;
  for (const auto& [name, tensor] : ours) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&, &own = name](const auto& e) { return e.first == own; });
    if (found == entries.end()) fail(name + " is missing");
    const Tensor& given = found->second;
    if (!given.defined() || given.shape() != tensor.shape() || given.dtype() != tensor.dtype()) {
      fail(fmt::format("{} is {}, not {}", name, describe(given), describe(tensor)));
    }
    copies.emplace_back(tensor, given.array().contiguous());
  }
  if (entries.size() != ours.size()) {
    fail(fmt::format("{} of them, not {}", entries.size(), ours.size()));
  }
  unmerge_lora(model);
  const NoGrad scope;
  for (auto& [to, from] : copies) to.copy_from(from);
}

}  // namespace heed::nn
