// Whose hook is missed, and whose is not: beside handed_over_test.cpp.
#include <gtest/gtest.h>

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
