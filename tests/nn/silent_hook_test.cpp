// Whose hook is missed, and whose is not: beside handed_over_test.cpp.
#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"

namespace heed::nn {

// Module is open to Layers alone.
struct Peek;
template <>
class Layer<Peek> {
 public:
  static std::size_t count(const Module& of) { return of.hooks_ ? of.hooks_->forward().size() : 0; }
};

namespace {

const ForwardHook kLook = [](const Module&, const Tensor&) -> Tensor { return {}; };

struct Two : Module {
  explicit Two(Index inner = 5) : second(child<Linear>("second", inner, 2)) {}
  Linear& first = child<Linear>("first", 3, 5);
  Linear& second;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(second(first(x)));
  }
};

struct Owner : Module {
  explicit Owner(const std::shared_ptr<Linear>& made) : part(shared_child("part", made)) {}
  Linear& part;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(part(x));
  }
};

template <bool kForwards>
struct Scaled : Module {
  Tensor& scale = parameter("scale", ones({3}));
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return kForwards ? forwarded(x * scale) : x * scale;
  }
};

TEST(SilentHook, IsNoneWhereAChildRunsAlone) {
  Two model;
  model.register_forward_hook(kLook);
  sum(model.first(randn({7, 3}))).backward();
  model.eval();
  EXPECT_FALSE(model.first.training());
}

TEST(SilentHook, IsNoneWhereAnotherOwnerRunsTheChild) {
  const auto made = std::make_shared<Linear>(3, 2);
  Owner one(made), other(made);
  one.register_forward_hook(kLook);
  sum(other(randn({7, 3}))).backward();
  one.eval();
}

TEST(SilentHook, IsNoneWhereTheCallCameBeforeIt) {
  Scaled<true> model;
  const Tensor loss = sum(model(randn({7, 3})));
  model.register_forward_hook(kLook);
  loss.backward();
}

TEST(SilentHook, IsNoneWhereAParameterIsUsedByItself) {
  Scaled<false> model;
  model.register_forward_hook(kLook);
  sum(square(model.scale)).backward();
  model.eval();
}

TEST(SilentHook, IsNoneWhereTheCallFailed) {
  Two model(7);
  model.register_forward_hook(kLook);
  EXPECT_THROW(model(randn({7, 3})), ShapeError);
  model.eval();
}

// What its result is made of, such as a memory, is no result.
TEST(SilentHook, IsNoneWhereSomethingWasPrepared) {
  attention::TransformerDecoder decoder(2, {.width = 6, .heads = 3, .hidden = 5});
  attention::MultiHead& heads = decoder.layers[0].multihead_attn;
  heads.register_forward_hook(kLook);
  const auto state = decoder.start(randn({2, 7, 6}));
  sum(square(state.memory[0].keys())).backward();
  decoder.eval();

  attention::TuringMachine machine({.input = 3, .output = 2, .hidden = 5});
  machine.register_forward_hook(kLook);
  machine.begin(2);
  machine.eval();
  attention::NeuralComputer computer({.input = 3, .output = 2, .hidden = 5});
  computer.register_forward_hook(kLook);
  computer.begin(2);
  computer.eval();
  attention::DrawAttention window({.state_width = 5, .size = 3, .height = 11, .width = 7});
  window.register_forward_hook(kLook);
  window.filters(randn({2, 5}));
  window.eval();

  const Tensor keys = randn({2, 7, 3}), values = randn({2, 7, 5});
  attention::HardAttention hard({.mean_probability = 0.5});
  attention::HardMonotonic monotonic({.sample = true});
  hard.eval(), monotonic.eval();
  hard.register_forward_hook(kLook), monotonic.register_forward_hook(kLook);
  hard.begin(keys, values), monotonic.begin(keys, values);
  hard.train(), monotonic.train();
}

TEST(SilentHook, IsRefusedWherePreparedAndRun) {
  struct Late : Scaled<false> {
    Tensor prepare() const {
      const Scope scope(*this, Scope::unhooked);
      return square(scale);
    }
  } model;
  model.register_forward_hook(kLook);
  model.prepare();
  model.eval();
  model(model.prepare());
  EXPECT_THROW(model.train(), GradError);
}

TEST(SilentHook, IsRefusedOfAModuleWithoutChildren) {
  Scaled<false> model;
  const HookId id = model.register_forward_hook(kLook);
  const Tensor loss = sum(model(randn({7, 3})));
  EXPECT_THROW(loss.backward(), GradError);
  EXPECT_THROW(model.eval(), GradError);
  model.remove_hook(id);
  sum(model(randn({7, 3}))).backward();
  model.eval();
}

TEST(SilentHook, LeavesNothingOnChildren) {
  Two model;
  const HookId first = model.register_forward_hook(kLook);
  const HookId second = model.register_forward_hook(kLook);
  EXPECT_EQ(Layer<Peek>::count(model.first), 1U);  // for both
  model.remove_hook(first);
  EXPECT_EQ(Layer<Peek>::count(model.first), 1U);
  model.remove_hook(second);
  EXPECT_EQ(Layer<Peek>::count(model.first), 0U);
  EXPECT_EQ(Layer<Peek>::count(model.second), 0U);
}

}  // namespace
}  // namespace heed::nn
