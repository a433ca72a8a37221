#include "../../data/read_in_order.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "../support/throws.h"

namespace heed::data {
namespace {

TEST(ReadInOrder, EachRowGoesOnWhereItEnded) {
  std::vector<Index> text(103);
  std::iota(text.begin(), text.end(), Index{7});
  Loader<Windows> batches = read_in_order(text, 3, 5, 11);
  std::set<Index> begins;
  for (int pass = 0; pass < 7; ++pass) {
    std::vector<Index> last;
    while (const auto batch = batches.next()) {
      const Index T = batch->inputs.size(1);
      for (Index row = 0; row < 3; ++row) {
        const auto in = batch->inputs.select(0, row).to_vector<Index>();
        const auto out = batch->targets.select(0, row).to_vector<Index>();
        for (std::size_t t = 0; t < in.size(); ++t) EXPECT_EQ(out[t], in[t] + 1);
        if (batches.index() > 1) {
          EXPECT_EQ(in[0], last[static_cast<std::size_t>(row)]);
        } else if (row == 0) {
          EXPECT_LT(in[0], 7 + 5);
          begins.insert(in[0]);
        }
        last.resize(3);
        last[static_cast<std::size_t>(row)] = out[static_cast<std::size_t>(T) - 1];
      }
    }
  }
  EXPECT_GT(begins.size(), 1U);
  EXPECT_EQ(batches.pass(), 7);
}

TEST(ReadInOrder, AShortTextIsRefused) {
  const std::vector<Index> text{1, 2, 3};
  EXPECT_ERROR_WITH(ValueError, "3 tokens are too few for 3 rows", read_in_order(text, 3, 5, 1));
  EXPECT_TRUE(read_in_order(text, 2, 5, 1).next().has_value());
}

}  // namespace
}  // namespace heed::data
