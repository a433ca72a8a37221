// What modules refuse changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using testing::ElementsAre;

TEST(ModuleRefusals, TheModeIsAllOfAModelsOrNothing) {
  struct Silent : Module {
    Linear& out = child<Linear>("out", 3, 2);
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return out(x);
    }
  };
  struct Outer : Module {
    Linear& first = child<Linear>("first", 3, 2);
    Silent& silent = child<Silent>("silent");
  } model;
  model.silent.register_forward_hook(
      [](const Module&, const Tensor&) -> Tensor { return Tensor(); });
  model.silent(randn({5, 3}));
  EXPECT_ERROR_WITH(GradError, "Silent ran and its hook was not called", model.eval());
  for (const Module* each : model.modules()) EXPECT_TRUE(each->training());
}

struct Recorded : Module {
  Tensor& a = parameter("a", ones({3}));
  Tensor& b = parameter("b", ones({2}));
  Recorded() { b = b * 2; }
};

TEST(ModuleRefusals, AResultOfTheTapeInAParametersPlace) {
  Recorded model;
  const std::string text = ": \"b\" is f32[2], the result of an operator, not a leaf";
  EXPECT_ERROR(GradError, "load_state_dict" + text,
               model.load_state_dict({{"a", zeros({3})}, {"b", zeros({2})}}));
  EXPECT_THAT(model.a.array().to_vector<float>(), ElementsAre(1, 1, 1));
  EXPECT_ERROR(GradError, "module.to" + text, model.to(DType::f64));
  EXPECT_EQ(model.a.dtype(), DType::f32);
  EXPECT_ERROR(GradError, "module.requires_grad" + text, model.requires_grad(false));
  EXPECT_TRUE(model.a.requires_grad());
  model.load_state_dict({{"a", zeros({3})}}, false);
  EXPECT_THAT(model.a.array().to_vector<float>(), ElementsAre(0, 0, 0));
}

TEST(ModuleRefusals, WhatIsThereAlreadyIsNotWritten) {
  Recorded model;
  model.load_state_dict(model.state_dict());  // which would be refused
  EXPECT_THAT(model.b.array().to_vector<float>(), ElementsAre(2, 2));
}

TEST(ModuleRefusals, AChildOfTwoNamesIsVisitedOnce) {
  struct Twice : Module {
    Twice() {
      const auto made = std::make_shared<Linear>(3, 2);
      shared_child("a", made);
      shared_child("b", made);
    }
  } model;
  ASSERT_EQ(model.children().size(), 1U);
  EXPECT_EQ(model.children()[0].first, "a");
  int visits = 0;
  model.apply([&](Module&) { ++visits; });
  EXPECT_EQ(visits, 2);
}

}  // namespace
}  // namespace heed::nn
