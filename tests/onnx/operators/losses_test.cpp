#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxLosses = SeededTest<45>;

TEST_F(OnnxLosses, OfClassesAtEachPlace) {
  const Tensor x = random({3, 5, 2}), classes = ints({4, 0, 2, 2, 1, 3}, {3, 2});
  const Tensor weight = each(random({5}), [](double v) { return std::abs(v) + 0.1; });
  const Tensor logs = made({3, 5, 2}, [&](const Place& p) {
    double sum = 0;
    for (Index c = 0; c < 5; ++c) sum += std::exp(at(x, {p[0], c, p[2]}));
    return at(x, p) - std::log(sum);
  });
  for (const bool weighted : {false, true})
    for (const std::int64_t ignored : {-100, 2})
      for (const char* const reduction : {"none", "sum", "mean"}) {
        double total = 0, weights = 0;
        const Tensor apart = made({3, 2}, [&](const Place& p) {
          const auto c = static_cast<Index>(at(classes, p));
          const double w = c == ignored ? 0 : weighted ? at(weight, {c}) : 1;
          const double out = -w * at(logs, {p[0], c, p[1]});
          total += out, weights += w;
          return out;
        });
        const std::string how = reduction;
        const Tensor wanted = how == "none" ? apart : made({}, [&](const Place&) {
          return how == "sum" ? total : total / weights;
        });
        const std::vector<Attribute> attributes = {{"reduction", how}, {"ignore_index", ignored}};
        const Tensor w = weighted ? weight : Tensor();
        const auto both =
            OneNode{.op = "SoftmaxCrossEntropyLoss", .attributes = attributes, .results = 2}.all(
                {x, classes, w});
        EXPECT_LT(difference(both[0], wanted), 1e-12) << how;
        EXPECT_LT(difference(both[1], logs), 1e-12);
        EXPECT_LT(
            difference(OneNode{"NegativeLogLikelihoodLoss", attributes}(logs, classes, w), wanted),
            1e-12)
            << how;
      }
  EXPECT_ERROR_WITH(
      FormatError, "attribute reduction = \"most\" is not supported",
      (OneNode{"NegativeLogLikelihoodLoss", {{"reduction", std::string("most")}}}(x, classes)));
  EXPECT_ERROR_WITH(IndexError, "SoftmaxCrossEntropyLoss \"y0\"",
                    OneNode{"SoftmaxCrossEntropyLoss"}(x, ints({5, 0, 2, 2, 1, 3}, {3, 2})));
}

}  // namespace
}  // namespace heed::onnx
