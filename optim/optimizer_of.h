// OptimizerOf<Self, Options>: what the optimizers whose groups have options share, all but their
// formula. Such a one is its options, its name, what they ask for, and an update():
//
//   class Lion final : public OptimizerOf<Lion, LionOptions> {
//    public:
//     using OptimizerOf::OptimizerOf;
//     static constexpr const char* kName = "Lion";
//     static std::vector<std::string> state_names(const LionOptions& options);
#pragma once

#include "../core/error.h"
#include "optimizer.h"

namespace heed::optim {

/// Self::state_names(options) throws ValueError for options that make no sense and gives PyTorch's
/// names of the state that a parameter has with them.
template <class Self, class Options>
class OptimizerOf : public Optimizer {
 public:
  using Settings = Options;  ///< of a group
  /// Throws ValueError for options that make no sense, for no groups, and as
  /// Optimizer::add_group().
  explicit OptimizerOf(const std::vector<Tensor>& parameters, const Options& options = {})
      : Optimizer(Self::kName) {
    add(parameters, options);
  }
  explicit OptimizerOf(const std::vector<ParameterGroup<Options>>& groups)
      : Optimizer(Self::kName) {
    if (groups.empty()) throw ValueError(std::string(Self::kName) + ": there are no groups");
    for (const auto& group : groups) add(group.parameters, group.options);
  }
  template <std::floating_point T>
  OptimizerOf(const std::vector<Tensor>& parameters, T lr)
      : OptimizerOf(parameters, Options{.lr = lr}) {}
  /// Of all parameters of a module.
  template <HasParameters M>
  explicit OptimizerOf(const M& module, const Options& options = {})
      : OptimizerOf(module.parameters(), options) {}
  template <HasParameters M, std::floating_point T>
  OptimizerOf(const M& module, T lr) : OptimizerOf(module.parameters(), Options{.lr = lr}) {}
  template <NamedParameters M>
  explicit OptimizerOf(const M& named, const Options& options = {})
      : OptimizerOf(without_names(named), options) {}
  template <NamedParameters M, std::floating_point T>
  OptimizerOf(const M& named, T lr) : OptimizerOf(without_names(named), Options{.lr = lr}) {}

  /// One group more, at the end. A schedule that is there already leaves its rate alone. Throws as
  /// the constructor, and then has changed nothing.
  void add_param_group(const ParameterGroup<Options>& group) {
    add(group.parameters, group.options);
  }

 protected:
  const Options& options_of(const Slot& slot) const { return options_[slot.group]; }

 private:
  void add(const std::vector<Tensor>& parameters, const Options& options) {
    options_.reserve(options_.size() + 1);
    add_group(parameters, options.lr, Self::state_names(options));
    options_.push_back(options);
  }

  std::vector<Options> options_;
};

}  // namespace heed::optim
