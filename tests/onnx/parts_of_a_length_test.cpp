// Exported at one length, read at all: whichever way a half or a third is rounded.
#include <map>

#include "../../autograd/autograd.h"
#include "../../nn/linear.h"
#include "../../onnx/export.h"
#include "../../onnx/graph_module.h"

namespace heed::onnx {
namespace {

TEST(PartsOfALength, AreReadAtAllLengths) {
  nn::Linear none(1, 1);
  const auto first = [](const Tensor& x, Index count) { return narrow(x, 1, 0, count); };
  const std::map<std::string, std::function<Index(Index)>> parts = {
      {"half", [](Index T) { return T / 2; }},
      {"larger half", [](Index T) { return (T + 1) / 2; }},
      {"less than half", [](Index T) { return (T - 1) / 2; }},
      {"pairs", [](Index T) { return T - T % 2; }},
      {"third", [](Index T) { return T / 3; }},
      {"third, upwards", [](Index T) { return (T + 2) / 3; }},
      {"of two strides", [](Index T) { return ((T + 1) / 2 + 1) / 2; }},
      {"whole blocks of four", [](Index T) { return T - T % 4; }},
      {"seventh", [](Index T) { return (T + 3) / 7; }},
  };
  for (const auto& [name, count] : parts) {
    const auto f = [&](const Tensor& x) { return first(x, count(x.size(1))); };
    for (const Index example : {5, 6, 7, 8}) {
      const GraphModule back(
          export_model(none, {{"x", randn({2, example, 3}), {"batch", "length"}}},
                       [&](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x[0])}; }));
      for (Index length = example; length < 40; ++length) {
        const Tensor x = randn({3, length, 3});
        const Tensor got = back.run(std::vector<Tensor>{x})[0];
        ASSERT_EQ(got.shape(), f(x).shape()) << name << " of " << length << ", by " << example;
        ASSERT_TRUE(got.equal(f(x)));
      }
    }
  }
}

}  // namespace
}  // namespace heed::onnx
