// Where a module stands, and that errors thrown under it say so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>

#include "../../autograd/anomaly.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../../nn/module_list.h"
#include "../../nn/sequential.h"
#include "../support/throws.h"

namespace heed {
namespace {

// A layer of a user's, with a parameter and an operator of its own.
struct Scaled : nn::Module {
  explicit Scaled(Index width) : linear(child<nn::Linear>("linear", width, width)) {}
  nn::Linear& linear;
  Tensor& scale = parameter("scale", ones({3}));
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(linear(x) * scale);
  }
};

struct Stack : nn::Module {
  Stack() {
    layers.add(5);
    layers.add(7);
  }
  nn::ModuleListOf<Scaled>& layers = child<nn::ModuleListOf<Scaled>>("layers");
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(layers[1](x));
  }
};

struct Net : nn::Module {
  Stack& encoder = child<Stack>("encoder");
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(encoder(x));
  }
};

TEST(ModulePath, IsThatOfTheTree) {
  const Net net;
  EXPECT_EQ(net.path(), "");
  EXPECT_EQ(net.encoder.path(), "encoder");
  EXPECT_EQ(net.encoder.layers[1].linear.path(), "encoder.layers.1.linear");
  EXPECT_EQ(net.encoder.layers[1].linear.class_name(), "Linear");
  EXPECT_EQ(net.class_name(), "Net");
}

TEST(ModulePath, BeginsErrorsOfLayersAndOfUsersOwn) {
  const Net net;
  EXPECT_EQ(message_of<ShapeError>([&] {
              net(ones({2, 5}));
            }).substr(0, 33),
            "encoder.layers.1.linear: linear: ");
  EXPECT_EQ(message_of<ShapeError>([&] {
              net(ones({2, 7}));
            }).substr(0, 23),
            "encoder.layers.1: mul: ");
  // By itself a child has the same place.
  EXPECT_EQ(message_of<ShapeError>([&] {
              net.encoder.layers[0](ones({2, 7}));
            }).substr(0, 33),
            "encoder.layers.0.linear: linear: ");
  EXPECT_EQ(message_of<ShapeError>([&] {
              matmul(ones({2, 7}), ones({3}));
            }).substr(0, 8),
            "matmul: ");
}

TEST(ModulePath, IsApartFromTheText) {
  const Net net;
  try {
    net(ones({2, 5}));
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_EQ(error.where(), "encoder.layers.1.linear");
    EXPECT_EQ(std::string(error.message()).substr(0, 8), "linear: ");
  }
  const ValueError outside("no layer");
  EXPECT_EQ(outside.where(), "");
  EXPECT_STREQ(outside.message(), "no layer");
}

// Catches what its child throws, and adds a word.
struct Wrapping : nn::Module {
  nn::Linear& linear = child<nn::Linear>("linear", 5, 3);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    try {
      return forwarded(linear(x));
    } catch (const ShapeError& error) {
      throw ValueError(std::string("wrapping: ") + error.what());
    }
  }
};

TEST(ModulePath, StandsThereOnceWhereAnErrorIsThrownAgain) {
  struct Outer : nn::Module {
    Wrapping& inner = child<Wrapping>("inner");
  } const outer;
  const std::string text = message_of<ValueError>([&] { outer.inner(ones({2, 7})); });
  EXPECT_EQ(text.substr(0, 39), "inner: wrapping: inner.linear: linear: ");
  const nn::Sequential net(nn::layer<Wrapping>());
  const Scope scope(*net.children()[0].second);
  const ValueError first("mul: bad");
  EXPECT_EQ(ValueError(std::string("again: ") + first.what()).what(),
            std::string("0: again: mul: bad"));
  // What only looks like the path stays.
  EXPECT_STREQ(ValueError("10: 0: bad").what(), "0: 10: 0: bad");
}

TEST(ModulePath, OfASharedChildIsTheOneThatRuns) {
  struct Holder : nn::Module {
    explicit Holder(const std::shared_ptr<nn::Linear>& made)
        : linear(shared_child("linear", made)) {}
    nn::Linear& linear;
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return forwarded(linear(x));
    }
  };
  struct Two : nn::Module {
    explicit Two(const std::shared_ptr<nn::Linear>& made)
        : left(child<Holder>("left", made)), right(child<Holder>("right", made)) {}
    Holder &left, &right;
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return forwarded(right(x));
    }
  };
  const auto made = std::make_shared<nn::Linear>(5, 3);
  {
    const Two two(made);
    EXPECT_EQ(message_of<ShapeError>([&] { two(ones({2, 7})); }).substr(0, 14), "right.linear: ");
    EXPECT_EQ(message_of<ShapeError>([&] {
                two.left(ones({2, 7}));
              }).substr(0, 13),
              "left.linear: ");
    EXPECT_EQ(made->path(), "left.linear");
  }
  EXPECT_EQ(made->path(), "");  // they have gone
}

TEST(ModulePath, NeverLeadsBackToAModule) {
  struct Open : nn::Module {
    using Module::shared_child;
  };
  struct Other : Open {};
  const auto outer = std::make_shared<Open>();
  const auto inner = std::make_shared<Other>();
  outer->shared_child("inner", inner);
  EXPECT_ERROR(ValueError,
               "module: child \"back\", a Open, is or holds the Other that it would be a child of",
               inner->shared_child("back", outer));
  EXPECT_ERROR(ValueError,
               "module: child \"self\", a Open, is or holds the Open that it would be a child of",
               outer->shared_child("self", outer));
  EXPECT_EQ(inner->path(), "inner");
  EXPECT_EQ(outer->path(), "");
  EXPECT_EQ(outer->modules().size(), 2U);
  inner->shared_child("back", std::make_shared<nn::Linear>(2, 3));  // the name is still free
  outer->shared_child("twice", inner);
  EXPECT_EQ(outer->parameters().size(), 2U);
}

TEST(ModulePath, OfAPartOfNoTreeIsThatOfItsCaller) {
  struct Apart : nn::Module {  // so that no list has it
    std::unique_ptr<nn::Linear> linear = std::make_unique<nn::Linear>(5, 3);
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return forwarded((*linear)(x));
    }
  };
  const nn::Sequential net(nn::layer<nn::Linear>(2, 5), nn::layer<Apart>());
  EXPECT_EQ(message_of<ShapeError>([&] {
              net.at<Apart>(1)(ones({2, 7}));
            }).substr(0, 11),
            "1: linear: ");
}

TEST(ModulePath, IsWhereAnAnomalyWasRecorded) {
  struct Root : nn::Module {
    Root() { inner.weight.set_array(Array::zeros({1, 1}, DType::f32)); }
    nn::Linear& inner = child<nn::Linear>("inner", 1, 1, false);
  } const root;
  const DetectAnomaly anomaly;
  const Tensor loss = sum(sqrt(root.inner(ones({1, 1}))));
  EXPECT_TRUE(throws_with<AnomalyError>("sqrt of f32[1], in inner", [&] {
    const Scope scope(root.inner);
    sum(sqrt(Tensor(Array::zeros({1}, DType::f32)).set_requires_grad())).backward();
  }));
  EXPECT_THAT(message_of<AnomalyError>([&] { loss.backward(); }),
              testing::Not(testing::HasSubstr("in inner")));
}

TEST(ModulePath, BelongsToTheThread) {
  const Net net;
  const Scope scope(net.encoder);
  std::string elsewhere;
  std::thread([&] { elsewhere = ValueError("mine").what(); }).join();
  EXPECT_EQ(elsewhere, "mine");
  EXPECT_STREQ(ValueError("mine").what(), "encoder: mine");
}

TEST(ModulePath, EndsWithItsScope) {
  const Net net;
  EXPECT_THROW(net(ones({2, 5})), ShapeError);
  EXPECT_EQ(Scope::current(), nullptr);
  EXPECT_STREQ(ValueError("after").what(), "after");
}

}  // namespace
}  // namespace heed
