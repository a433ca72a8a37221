// Training with products in bf16.
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/kernels/gemm/gemm_simd.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/optim.h"
#include "../../train/run.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

// A layer wide enough for products in bf16, a few steps of it: its weights.
std::vector<float> wide_weights(RunOptions options) {
  manual_seed(5);
  options.quiet = true;
  nn::Linear layer(97, 131);
  optim::Adam adam(layer.parameters(), {.lr = 0.01});
  auto batches = data::drawn([](Generator& g) { return g.normal({67, 97}, 0, 1, DType::f32); }, 3);
  Run run(layer, adam, options);
  run.validate([&] {
    EXPECT_EQ(precision(), Precision::f32);
    return Figures{{"loss", 1}};
  });
  run(batches, [&](const Array& x) {
    EXPECT_EQ(precision(), options.precision);
    return mean(square(layer(Tensor(x)) - 1.0));
  });
  EXPECT_EQ(precision(), Precision::f32);
  return layer.weight.array().to_vector<float>();
}

TEST(RunPrecision, LearnsInBf16AndGoesOnInIt) {
  const auto single = wide_weights({.steps = 3, .every = 2, .last = true});
  const auto rounded =
      wide_weights({.steps = 3, .every = 2, .last = true, .precision = Precision::bf16});
  EXPECT_EQ(single == rounded, kernels::simd::gemm<float>().panels.rows == 0);
  const TemporaryFolder folder(TemporaryFolder::memory());
  const RunOptions options{.out = folder / "model",
                           .steps = 3,
                           .every = 2,
                           .last = true,
                           .precision = Precision::bf16,
                           .stop_after = 2,
                           .setting = "rows"};
  wide_weights(options);
  RunOptions more = options;
  more.stop_after = 0;
  more.resume = true;
  more.precision = Precision::f32;
  EXPECT_ERROR_WITH(ValueError, "rows, bf16", wide_weights(more));
  more.precision = Precision::bf16;
  EXPECT_EQ(wide_weights(more), rounded);
}

}  // namespace
}  // namespace heed::train
