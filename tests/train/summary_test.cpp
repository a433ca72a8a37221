#include "../../train/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/activation.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../../nn/dropout.h"
#include "../../nn/linear.h"
#include "../../nn/sequential.h"
#include "../../train/profiler.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;

TEST(Summary, TellsWhatEachModuleMakes) {
  nn::Sequential net(nn::layer<nn::Linear>(5, 7), relu, nn::layer<nn::Linear>(7, 3));
  net.add<nn::Linear>(3, 2);
  net.at<nn::Linear>(3).requires_grad(false);
  const Summary found = summary(net, [&] { net(ones({11, 5})); });
  ASSERT_EQ(found.rows.size(), 5U);
  EXPECT_EQ(found.rows[0].module, "Sequential");
  EXPECT_EQ(found.rows[0].output, "f32[11, 2]");
  EXPECT_EQ(found.rows[1].module, "0");
  EXPECT_EQ(found.rows[1].class_name, "Linear");
  EXPECT_EQ(found.rows[1].output, "f32[11, 7]");
  EXPECT_EQ(found.rows[1].parameters, 5 * 7 + 7);
  EXPECT_EQ(found.rows[1].flops, 2 * 11 * 5 * 7 + 11 * 7);
  EXPECT_EQ(found.rows[1].activations, 4 * 11 * 7);
  EXPECT_EQ(found.rows[1].calls, 1);
  EXPECT_EQ(found.rows[2].flops, 11 * 7);
  double flops = 0, bytes = 0;
  for (std::size_t i = 1; i < 5; ++i) {
    flops += found.rows[i].flops;
    bytes += found.rows[i].activations;
  }
  EXPECT_EQ(found.rows[0].flops, flops);
  EXPECT_EQ(found.rows[0].activations, bytes);
  EXPECT_EQ(found.parameters, 42 + 24 + 8);
  EXPECT_EQ(found.trained, 42 + 24);
  EXPECT_EQ(found.parameter_bytes, 4 * 74);
  EXPECT_EQ(found.text().substr(0, 74),
            "module      class       output      calls  parameters  MFLOP  activations\n");
  EXPECT_THAT(found.text(), HasSubstr("\n0           Linear      f32[11, 7]                 42  "
                                      "0.001        308 B\n"));
  EXPECT_THAT(found.text(), HasSubstr("74 parameters (66 trained), 296 B; 0.002 MFLOP forward"));
}

TEST(Summary, CountsModulesThatAreCalledTwiceOrNever) {
  struct Net : nn::Module {
    nn::Linear& often = child<nn::Linear>("often", 5, 5);
    nn::Linear& never = child<nn::Linear>("never", 5, 5);
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return forwarded(often(often(x)));
    }
  } net;
  const Summary found = summary(net, [&] { net(ones({2, 5})); });
  EXPECT_EQ(found.rows[1].calls, 2);
  EXPECT_EQ(found.rows[1].flops, 2 * (2 * 2 * 5 * 5 + 2 * 5));
  EXPECT_EQ(found.rows[2].calls, 0);
  EXPECT_EQ(found.rows[2].output, "");
  EXPECT_EQ(found.rows[2].parameters, 30);
}

TEST(Summary, LeavesTheModelAsItIs) {
  nn::Sequential net(nn::layer<nn::Dropout>(0.5), nn::layer<nn::Sequential>());
  net.at<nn::Sequential>(1).add<nn::Dropout>(0.5);
  net.at<nn::Sequential>(1).eval();
  const Tensor x = ones({3}).set_requires_grad();
  summary(net, [&] {
    EXPECT_FALSE(net.training());
    EXPECT_FALSE(recording());
    net(x);
  });
  EXPECT_TRUE(net.training());
  EXPECT_TRUE(net.at<nn::Dropout>(0).training());
  EXPECT_FALSE(net.at<nn::Sequential>(1).training());
  EXPECT_TRUE(recording());
}

TEST(Summary, PutsModesBackWhereAHookWasPassedBy) {
  struct Silent : nn::Module {
    nn::Linear& inner = child<nn::Linear>("inner", 5, 3);
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return inner(x);
    }
  };
  struct Net : nn::Module {
    Silent& silent = child<Silent>("silent");
    nn::Dropout& dropout = child<nn::Dropout>("dropout", 0.5);
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      return forwarded(dropout(silent(x)));
    }
  } net;
  net.dropout.eval();
  net.silent.register_forward_hook([](const nn::Module&, const Tensor&) { return Tensor(); });
  EXPECT_ERROR_WITH(GradError, "its hook was not called", summary(net, [&] { net(ones({2, 5})); }));
  EXPECT_TRUE(net.training());
  EXPECT_TRUE(net.silent.training());
  EXPECT_TRUE(net.silent.inner.training());
  EXPECT_FALSE(net.dropout.training());
}

TEST(Summary, RefusesBadInput) {
  nn::Linear net(5, 3);
  EXPECT_THROW(summary(net, {}), ValueError);
  EXPECT_THROW(summary(net, [&] { net(ones({2, 7})); }), ShapeError);
  EXPECT_FALSE(observed());
  const Profiler profiler;
  EXPECT_THROW(summary(net, [&] { net(ones({2, 5})); }), ValueError);
}

}  // namespace
}  // namespace heed::train
