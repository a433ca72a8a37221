// The code of docs/interop.md that reads ONNX.
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../heed.h"
#include "../io/temporary_folder.h"
#include "../structure/shown_code.h"
#include "../support/numbers.h"
#include "../support/throws.h"
#include "graphs.h"

namespace heed {
namespace {

TEST(OnnxGuide, AGraphIsLoadedAskedAndTrained) {
  const TemporaryFolder place;
  const std::string folder = place.path().string();
  onnx::write_model(folder + "/mlp.onnx", onnx::mlp());
  const Tensor x = randn({5, 7}), target = randn({5, 3});
  // [docs: onnx import]
  const auto model = onnx::load(folder + "/mlp.onnx");  // in evaluation mode
  const Tensor y = (*model)(x);
  const nn::NamedTensors all = model->run({{"x", x}});  // inputs and results by their names
  model->train();
  optim::AdamW adam(model->parameters(), {.lr = 0.01});
  // [end]
  EXPECT_EQ(y.shape(), (Shape{5, 3}));
  EXPECT_EQ(all.size(), 1U);
  EXPECT_EQ(difference(all[0].second, y), 0);
  const auto loss = [&] { return mean(square((*model)(x)-target)); };
  const double before = loss().item();
  for (int i = 0; i < 20; ++i) {
    adam.zero_grad();
    loss().backward();
    adam.step();
  }
  EXPECT_LT(loss().item(), before);
}

TEST(OnnxGuide, ShowsThisCode) {
  expect_shown("tests/onnx/recipes_test.cpp", "docs/interop.md", 4);
}

}  // namespace
}  // namespace heed
