#include "../../../data/tokenizers/number_map.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "../../../core/generator.h"

namespace heed::data::tokenizers {
namespace {

// All that is there is found, and nothing else, at each size that it has on the way.
void expect_all(const std::vector<std::uint64_t>& keys, const std::vector<std::uint64_t>& others) {
  NumberMap map;
  std::map<std::uint64_t, std::uint32_t> known;
  for (const std::uint64_t key : keys) {
    const auto value = static_cast<std::uint32_t>(known.size());
    ASSERT_EQ(map.insert(key, value), known.emplace(key, value).second) << key;
    for (const auto& [own, number] : known) {
      const std::uint32_t* const found = map.find(own);
      ASSERT_TRUE(found != nullptr && *found == number) << own << " of " << known.size();
    }
    for (const std::uint64_t other : others)
      ASSERT_EQ(map.find(other), nullptr) << other << " of " << known.size();
  }
}

TEST(NumberMap, FindsWhatIsThereAndNothingElse) {
  Generator generator(3);
  std::vector<std::uint64_t> drawn, counted, others;
  for (std::uint64_t i = 0; i < 211; ++i) {
    drawn.push_back(generator.next());
    counted.push_back(i * 4);
    others.push_back(i * 4 + 2);
  }
  expect_all(drawn, others);
  expect_all(counted, others);
  expect_all({5, 7, 5, 0, 7, 0}, {6});
}

// Keys that a multiplicative hash, whose factor this is the inverse of, sees as multiples of 2^40.
TEST(NumberMap, FindsKeysThatFallOnOnePlace) {
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9E3779B97F4A7C15u * inverse;
  ASSERT_EQ(inverse * 0x9E3779B97F4A7C15u, 1u);
  std::vector<std::uint64_t> keys, others;
  for (std::uint64_t i = 1; i <= 101; ++i) {
    keys.push_back(inverse * (i << 41));
    others.push_back(inverse * ((2 * i + 1) << 40));
  }
  expect_all(keys, others);
}

}  // namespace
}  // namespace heed::data::tokenizers
