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
  std::atomic<bool> called = false;   ///< its forward hooks were
  std::atomic<bool> entered = false;  ///< a child of it was called
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
  /// From now on the forward hook `id` is expected to be called where the parameters get gradients,
  /// after `parts` children of `module`, of the class `name`, were: else they throw GradError.
  std::shared_ptr<Watch> watch(HookId id, const std::vector<Tensor>& parameters, bool parts,
                               const std::string& name);
  /// Throws it now.
  void check_called() const;
  /// Nothing happens for an id that is gone.
  void remove(HookId id);

  /// `output` through all forward hooks, in the order of registering. Those that are added or
  /// removed by one of them count from the next call on.
  Tensor run(const Module& module, Tensor output) const;
  /// The forward hooks, for one who calls them by himself.
  const std::vector<std::pair<HookId, ForwardHook>>& forward() const { return forward_; }

 private:
  std::vector<std::pair<HookId, ForwardHook>> forward_;
  std::shared_ptr<Watch> watch_;
  std::string silent_;  // what is thrown
  std::vector<std::pair<HookId, std::vector<std::pair<Tensor, HookId>>>> on_parameters_;
};

}  // namespace heed::nn
