#include <gtest/gtest.h>

#include <map>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../support/throws.h"

namespace heed {
namespace {

struct Net : nn::Module {
  nn::Linear& first = child<nn::Linear>("first", 3, 5);
  nn::Linear& second = child<nn::Linear>("second", 5, 2);
  Tensor operator()(const Tensor& x) const { return second(tanh(first(x))); }
};

TEST(ModuleHooks, SeeEveryGradientWithItsName) {
  Net net;
  std::map<std::string, Shape> seen;
  const HookId id = net.register_hook([&](const std::string& name, const Tensor& gradient) {
    EXPECT_TRUE(seen.emplace(name, gradient.shape()).second) << name;
    return Tensor();
  });
  sum(net(randn({7, 3}))).backward();
  EXPECT_EQ(seen, (std::map<std::string, Shape>{{"first.weight", {5, 3}},
                                                {"first.bias", {5}},
                                                {"second.weight", {2, 5}},
                                                {"second.bias", {2}}}));
  net.remove_hook(id);
  net.remove_hook(id);
  seen.clear();
  sum(net(randn({7, 3}))).backward();
  EXPECT_TRUE(seen.empty());
}

TEST(ModuleHooks, ReplaceGradients) {
  Net net;
  net.register_hook([](const std::string& name, const Tensor& gradient) {
    return name == "second.bias" ? gradient * 10 : Tensor();
  });
  sum(net(randn({7, 3}))).backward();
  EXPECT_EQ(net.second.bias.grad().array().to_vector<float>(), (std::vector<float>{70, 70}));
}

TEST(ModuleHooks, SeeTiedParametersOnceAndPassOverTheFrozen) {
  struct Tied : nn::Module {
    nn::Linear& a = child<nn::Linear>("a", 3, 3, false);
    nn::Linear& b = child<nn::Linear>("b", 3, 3, false);
    nn::Linear& c = child<nn::Linear>("c", 3, 3, false);
  } net;
  net.b.weight = net.a.weight;
  net.c.requires_grad(false);
  std::vector<std::string> names;
  net.register_hook([&](const std::string& name, const Tensor&) {
    names.push_back(name);
    return Tensor();
  });
  sum(net.c(net.b(net.a(randn({7, 3}))))).backward();
  EXPECT_EQ(names, (std::vector<std::string>{"a.weight"}));
  net.requires_grad(false);
  EXPECT_TRUE(throws<GradError>("register_hook: Tied has no parameter that is trained", [&] {
    net.register_hook([](const std::string&, const Tensor&) { return Tensor(); });
  }));
}

}  // namespace
}  // namespace heed
