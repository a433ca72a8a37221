// Results of several tensors where a program takes them for tuples.
#include "../../autograd/result_words.h"

#include <gtest/gtest.h>

#include <sstream>

#include "../../autograd/methods.h"
#include "../../autograd/ops/recurrent/gru.h"

namespace heed {
namespace {

TEST(ResultWords, ArePartsByTheirPlaces) {
  const Tensor x = tensor({{1.0, 5.0, 3.0}, {7.0, 2.0, 4.0}});
  EXPECT_TRUE(equal(std::get<0>(max(x, 1)), tensor({5.0, 7.0})));
  EXPECT_TRUE(equal(std::get<1>(max(x, 1)), tensor({1, 0})));
  Tensor values, indices;
  std::tie(values, indices) = min(x, 0);
  EXPECT_TRUE(equal(values, tensor({1.0, 2.0, 3.0})));
  EXPECT_TRUE(equal(indices, tensor({0, 1, 0})));
  const auto [most, places] = x.max(1);  // as ever
  EXPECT_TRUE(equal(most, tensor({5.0, 7.0})));
  EXPECT_TRUE(equal(places, tensor({1, 0})));
}

TEST(ResultWords, ArePrintedBelowEachOther) {
  const Picked picked = max(tensor({{1.0, 5.0}, {7.0, 2.0}}), 1);
  std::ostringstream out;
  out << picked;
  EXPECT_EQ(out.str(), to_string(picked.values) + "\n" + to_string(picked.indices));
}

TEST(ResultWords, OfRecurrencesHoldTheStatesTogether) {
  const LstmResult lstm{tensor(2.0), tensor(3.0), tensor(5.0)};
  EXPECT_EQ(std::get<0>(lstm).item(), 2);
  const auto [h, c] = std::get<1>(lstm);
  EXPECT_EQ(h.item(), 3);
  EXPECT_EQ(c.item(), 5);
  const RnnResult rnn{tensor(2.0), tensor(3.0)};
  EXPECT_EQ(std::get<0>(rnn).item(), 2);
  EXPECT_EQ(std::get<1>(rnn).item(), 3);
}

}  // namespace
}  // namespace heed
