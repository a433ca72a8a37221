// Sharded: an optimizer whose state is shared out (Rajbhandari et al. 2020, ZeRO, stage 1). Each
// process keeps the state of its parameters alone, steps those, and tells the others what they
// became:
//
//   heed::distributed::Sharded<heed::optim::Adam> adam(world, model.parameters(), {.lr = 1e-3});
//
// Its bits are those of the optimizer by itself, and so is its state_dict(), which all processes
// call together; it goes on from one that was not sharded, with any number of processes. All
// processes hold the same gradients, as runs that are shared (processes.h) leave them.
#pragma once

#include <vector>

#include "../optim/optimizer.h"
#include "world.h"

namespace heed::distributed {

/// Which process has which of these, by their sizes: the largest first, each to whoever has least.
std::vector<Index> owners_of(const std::vector<Tensor>& parameters, Index processes);

/// Of an optimizer that has all parameters registered, and state of those that it stepped.
class ShardedBase : public optim::Optimizer {
 public:
  /// Throws ValueError on all, and nothing has changed, unless parameters are of the same shapes and
  /// dtypes everywhere, and the same ones have a gradient.
  void step() override;
  optim::NamedArrays state_dict() const override;
  /// The same entries everywhere. Throws on all alike, and for a moment has all of the state.
  void load_state_dict(const optim::NamedArrays& entries) override;
  /// Whether this process keeps the state of parameter i, counted over all groups.
  bool owns(std::size_t i) const { return owners_[i] == world_.rank(); }

 protected:
  ShardedBase(const char* op, const World& world) : Optimizer(op), world_(world) {}
  virtual optim::Optimizer& inner() = 0;
  virtual const optim::Optimizer& inner() const = 0;
  void share_out();

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
  void check_alike() const;
  void tell(const std::vector<std::size_t>& moved);

  const World& world_;
  std::vector<Tensor> parameters_;
  std::vector<Index> owners_;
};

template <class Inner>
class Sharded : public ShardedBase {
 public:
  using Group = optim::ParameterGroup<typename Inner::Settings>;
  /// The world outlives it. Throws as Inner does.
  Sharded(const World& world, const std::vector<Tensor>& parameters,
          const typename Inner::Settings& options = {})
      : Sharded(world, {Group{parameters, options}}) {}
  Sharded(const World& world, const std::vector<Group>& groups)
      : ShardedBase(Inner::kName, world), inner_(groups) {
    for (const Group& group : groups) add_group(group.parameters, group.options.lr, {});
    share_out();
  }

 protected:
  optim::Optimizer& inner() override { return inner_; }
  const optim::Optimizer& inner() const override { return inner_; }

 private:
  Inner inner_;
};

}  // namespace heed::distributed
