// Words of PyTorch's users: each beside what it means.
#include <gtest/gtest.h>

#include "../../attention/attend.h"
#include "../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../attention/scaled_dot_product.h"
#include "../../autograd/autograd.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;
Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

TEST(Words, DecodersNeedNoTerms) {
  manual_seed(11);
  const attention::TransformerDecoder decoder(2,
                                              {.width = 8, .heads = 2, .hidden = 12, .dropout = 0});
  const Tensor x = randn({2, 3, 8}), memory = randn({2, 5, 8});
  EXPECT_EQ(numbers(decoder(x, memory).output),
            numbers(decoder(x, memory, attention::Terms{}).output));
  const auto& layer = decoder.layers[0];
  EXPECT_EQ(numbers(layer(x, memory).context),
            numbers(layer(x, memory, attention::Terms{}).context));
}

TEST(Words, TermsOfOurOwnUnderPyTorchsName) {
  manual_seed(13);
  const Tensor q = randn({2, 3, 5});
  const attention::Terms causal{.mask = attention::Mask::causal()};
  EXPECT_EQ(numbers(scaled_dot_product_attention(q, q, q, causal)),
            numbers(attention::attend(q, q, q, causal).context));
}

}  // namespace
}  // namespace heed
