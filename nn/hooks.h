// The hooks of a module: functions that see, and may replace, what it returns (forward hooks) or
// the gradients of its parameters. Users register them by Module's own functions.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn {

class Module;

/// A Hook that is told the parameter's name.
using ParameterHook = std::function<Tensor(const std::string& name, const Tensor& gradient)>;

/// Called with what a module is about to return; returns what shall stand in its place, or an
/// undefined Tensor to keep it.
using ForwardHook = std::function<Tensor(const Module& module, const Tensor& output)>;

/// What has been seen of a module whose operator() may not pass through forwarded().
struct Watch {
  std::atomic<bool> called = false;  ///< its forward hooks were
  std::atomic<bool> worked = false;  ///< a scope of it ended, not an unhooked one
  /// How many children it has, and how many of them ran in no other module's scope: one that opens
  /// none cannot be told from a caller who runs a child by itself, so that all of them must have.
  std::size_t children = 0;
  std::atomic<std::size_t> ran = 0;
  std::string silent;  ///< what is thrown

  /// Throws GradError where it ran and its hooks were not called.
  void check() const;
  /// The hook of one child that counts it in `ran`.
  static ForwardHook marker(const std::shared_ptr<Watch>& watch);
};

/// While it lives, what `module` returns on this thread passes its forward hooks by: whoever made
/// this calls them with what comes of it.
class HeldOff {
 public:
  explicit HeldOff(const Module& module);
  ~HeldOff();
  HeldOff(const HeldOff&) = delete;
  HeldOff& operator=(const HeldOff&) = delete;

  static bool now(const Module& module);

 private:
  const Module& module_;
  const HeldOff* const outer_;
};

/// What is registered on one module. Ids are unique among all modules.
class Hooks {
 public:
  HookId add(ForwardHook hook);
  /// Of one ParameterHook: what is on which parameter.
  HookId add(std::vector<std::pair<Tensor, HookId>> placed);
  /// Until the forward hook `id` is removed, Watch::check() is called where the parameters of the
  /// module, of the class `name`, get gradients. Null where another hook is watched already.
  std::shared_ptr<Watch> watch(HookId id, const std::vector<Tensor>& parameters,
                               const std::string& name);
  bool watching() const { return watch_ != nullptr; }
  /// Goes with the watch: the hook `id` on another module.
  void add_marker(std::weak_ptr<Module> on, HookId id) { markers_.emplace_back(on, id); }
  /// Watch::check() now.
  void check_called() const {
    if (watch_) watch_->check();
  }
  /// Nothing happens for an id that is gone.
  void remove(HookId id);

  /// `output` through all forward hooks, in the order of registering. Those that are added or
  /// removed by one of them count from the next call on.
  Tensor run(const Module& module, Tensor output) const;
  /// The forward hooks, for one who calls them by himself.
  const std::vector<std::pair<HookId, ForwardHook>>& forward() const { return forward_; }

 private:
  void unwatch();

  std::vector<std::pair<HookId, ForwardHook>> forward_;
  std::shared_ptr<Watch> watch_;
  std::vector<HookId> watched_;                                    // forward hooks; none: no watch
  std::vector<std::pair<Tensor, HookId>> looks_;                   // on parameters
  std::vector<std::pair<std::weak_ptr<Module>, HookId>> markers_;  // on children
  std::vector<std::pair<HookId, std::vector<std::pair<Tensor, HookId>>>> on_parameters_;
};

}  // namespace heed::nn
