#include "lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "../core/quoted.h"

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

// Where add_lora() puts adapters: layers by their paths from `model` on.
using Layers = std::vector<std::pair<std::string, Adaptable*>>;

// A module of several places is one layer, by the first of its paths.
void collect(Module& module, const std::string& path, const std::vector<std::string>& at,
             std::unordered_set<const Module*>& seen, Layers& out) {
  if (!seen.insert(&module).second) return;
  if (auto* layer = dynamic_cast<Adaptable*>(&module)) {
    if (!layer->adapters().empty()) throw ValueError("add_lora: the model has adapters");
    if (!layer->adaptable().empty() && is_at(module, at)) out.emplace_back(path, layer);
  }
  for (const auto& [name, child] : module.children()) {
    collect(*child, path.empty() ? name : path + "." + name, at, seen, out);
  }
}

Layers layers_for(Module& model, const LoraOptions& options) {
  check_low_rank({options.rank, options.alpha, options.dropout});
  Layers out;
  std::unordered_set<const Module*> seen;
  collect(model, "", options.at, seen, out);
  if (out.empty()) throw ValueError("add_lora: no layer with a matrix is where they should go");
  return out;
}

struct Wanted {
  std::string name;
  Shape shape;
  DType dtype;
};

// Throws unless `entries` are these, whatever their order.
void check_entries(const std::vector<Wanted>& wanted, const NamedTensors& entries) {
  const auto fail = [](const std::string& what) {
    throw ValueError("load_lora: the entries do not fit the model: " + what);
  };
  for (const auto& [name, shape, dtype] : wanted) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&, &own = name](const auto& e) { return e.first == own; });
    if (found == entries.end()) fail(name + " is missing");
    const Tensor& given = found->second;
    if (!given.defined() || given.shape() != shape || given.dtype() != dtype) {
      fail(fmt::format("{} is {}, not {}{}", name, describe(given), heed::name(dtype),
                       to_string(shape)));
    }
  }
  for (const auto& entry : entries) {
    const auto is_it = [&](const Wanted& each) { return each.name == entry.first; };
    if (std::none_of(wanted.begin(), wanted.end(), is_it))
      fail(in_short(entry.first) + " is beside no matrix");
  }
  if (entries.size() != wanted.size()) {
    fail(fmt::format("{} of them, not {}", entries.size(), wanted.size()));
  }
}

}  // namespace

void check_lora(Module& model, const LoraOptions& options, const NamedTensors& entries) {
  std::vector<Wanted> wanted;
  for (const auto& [path, layer] : layers_for(model, options)) {
    for (const auto& [adapter, matrix] : layer->adaptable()) {
      const std::string name = path.empty() ? adapter : path + "." + adapter;
      const DType dtype = widened(matrix.dtype());
      wanted.push_back({name + ".lora_a", {options.rank, matrix.size(1)}, dtype});
      wanted.push_back({name + ".lora_b", {matrix.size(0), options.rank}, dtype});
    }
  }
  check_entries(wanted, entries);
}

Index add_lora(Module& model, const LoraOptions& options) {
  const Layers layers = layers_for(model, options);  // before anything is changed
  model.requires_grad(false);
  Index count = 0;
  for (const auto& entry : layers) {
    Adaptable* const layer = entry.second;
    layer->adapt({options.rank, options.alpha, options.dropout});
    for (const auto& [matrix, adapter] : layer->adapters()) {
      adapter->train(dynamic_cast<Module*>(layer)->training());
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
  std::vector<Wanted> wanted;
  for (const auto& [name, tensor] : ours) wanted.push_back({name, tensor.shape(), tensor.dtype()});
  check_entries(wanted, entries);
  unmerge_lora(model);
  const NoGrad scope;
  for (auto [name, to] : ours) {
    const auto is_it = [&own = name](const auto& entry) { return entry.first == own; };
    to.copy_from(std::find_if(entries.begin(), entries.end(), is_it)->second.array().contiguous());
  }
}

}  // namespace heed::nn
