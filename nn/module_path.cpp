// Where a module stands in its tree, and what stands under it.
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <typeinfo>
#include <unordered_set>

#include "../core/error.h"
#include "../core/process_lock.h"
#include "../core/quoted.h"
#include "module.h"

namespace heed::nn {
namespace {

// Of who is whose parent: a shared child may be adopted by modules that several threads make.
std::mutex& family() { return process_lock(ProcessLock::parents); }

}  // namespace

void Module::add_parent(const Module& parent, std::string_view name) {
  const std::lock_guard lock(family());
  if (parent.is_within(*this)) {
    throw ValueError(
        fmt::format("module: child {}, a {}, is or holds the {} that it would be a child of",
                    in_quotes(name), class_name(), parent.class_name()));
  }
  parents_.push_back({&parent, std::string(name)});
}

void Module::leave_children() {
  const std::lock_guard lock(family());
  for (const Child& entry : children_) {
    std::erase_if(entry.module->parents_,
                  [this](const Parent& parent) { return parent.module == this; });
  }
}

void Module::change_parent(const Module& from) {
  const std::lock_guard lock(family());
  for (const Child& entry : children_) {
    for (Parent& parent : entry.module->parents_) {
      if (parent.module == &from) parent.module = this;
    }
  }
}

bool Module::is_within(const Part& part) const {
  return &part == this || std::any_of(parents_.begin(), parents_.end(), [&](const Parent& parent) {
    return parent.module->is_within(part);
  });
}

// The one by which this is called now: of a shared child the one nearest to the innermost scope.
const Module::Parent& Module::parent() const {
  if (parents_.size() > 1) {
    for (const Scope* scope = Scope::current(); scope; scope = scope->outer()) {
      for (const Parent& parent : parents_) {
        if (parent.module->is_within(scope->part())) return parent;
      }
    }
  }
  return parents_.front();
}

std::string Module::path_here() const {
  if (parents_.empty()) return {};
  const Parent& at = parent();
  const std::string above = at.module->path_here();
  return above.empty() ? at.name : above + "." + at.name;
}

std::string Module::path() const {
  const std::lock_guard lock(family());
  return path_here();
}

std::string Module::class_name() const {
  const char* mangled = typeid(*this).name();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  const std::string full = status == 0 ? plain.get() : mangled;
  const std::size_t colon = full.substr(0, full.find('<')).rfind(':');
  return colon == std::string::npos ? full : full.substr(colon + 1);
}

std::vector<std::pair<std::string, Module*>> Module::children() const {
  std::vector<std::pair<std::string, Module*>> out;
  std::unordered_set<const Module*> seen;
  for (const Child& entry : children_) {
    if (seen.insert(entry.module.get()).second) out.emplace_back(entry.name, entry.module.get());
  }
  return out;
}

std::vector<Module*> Module::modules() {
  std::vector<Module*> out = {this};
  for (std::size_t i = 0; i < out.size(); ++i) {  // what stands behind i comes after its children
    auto place = out.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    for (const Child& entry : out[i]->children_) {
      Module* const child = entry.module.get();
      if (std::find(out.begin(), out.end(), child) == out.end()) {
        place = out.insert(place, child) + 1;
      }
    }
  }
  return out;
}

std::vector<std::pair<std::string, Module*>> Module::named_modules() {
  std::vector<std::pair<std::string, Module*>> out;
  std::unordered_set<const Module*> seen;
  const auto visit = [&](const auto& self, const std::string& name, Module& module) -> void {
    if (!seen.insert(&module).second) return;
    out.emplace_back(name, &module);
    for (const auto& [child, each] : module.children()) {
      self(self, name.empty() ? child : name + "." + child, *each);
    }
  };
  visit(visit, "", *this);
  return out;
}

std::vector<Tensor> Module::buffers() const {
  std::vector<Tensor> out;
  for (const auto& entry : named_buffers()) out.push_back(entry.second);
  return out;
}

}  // namespace heed::nn
