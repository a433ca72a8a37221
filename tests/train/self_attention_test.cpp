#include "../../train/self_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two layers of different numbers of heads.
SelfAttended text() {
  Generator random(7);
  return {
      {"the", "<b>", "groß"},
      {random.uniform({2, 3, 3}, 0, 1, DType::f64), random.uniform({5, 3, 3}, 0, 1, DType::f32)}};
}

nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(SelfAttentionPage, HasTheWeightsOfEveryHeadOfEveryLayer) {
  const SelfAttended it = text();
  const std::string page = self_attention_page("a title", {it, it});
  EXPECT_THAT(page, HasSubstr("a title"));
  EXPECT_THAT(page, HasSubstr("3 words, 2 layers"));
  const auto data = data_of(page);
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[1]["words"][2], "groß");
  ASSERT_EQ(data[0]["layers"].size(), 2u);
  ASSERT_EQ(data[0]["layers"][0].size(), 2u);
  ASSERT_EQ(data[0]["layers"][1].size(), 5u);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const std::vector<double> weights = it.layers[layer].to(DType::f64).to_vector<double>();
    for (std::size_t head = 0; head < data[0]["layers"][layer].size(); ++head) {
      const auto found = data[0]["layers"][layer][head].get<std::vector<double>>();
      ASSERT_EQ(found.size(), 9u);
      for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found[i], weights[head * 9 + i], 1e-3);
    }
  }
}

TEST(SelfAttentionPage, WordsChangeNoElement) {
  SelfAttended hostile = text();
  hostile.words = {"</script><script>", "\"&'", "\xff\x1b"};
  const std::string page = self_attention_page("<i>", {hostile});
  EXPECT_THAT(page, Not(HasSubstr("</script><script>\"")));
  EXPECT_THAT(page, HasSubstr("&lt;i&gt;"));
  EXPECT_EQ(data_of(page)[0]["words"][0], "</script><script>");
  EXPECT_EQ(data_of(page)[0]["words"][2], "\uFFFD");
}

// The darkest dot of a head is where its largest weight is, at the place of layer and head.
TEST(SelfAttentionPicture, ShadesEachHeadByItsOwnLargestWeight) {
  Array one = Array::zeros({2, 3, 3}, DType::f64);
  one.slice(0, 1, 2).slice(1, 2, 3).slice(2, 0, 1).mutable_data<double>()[0] = 0.25;
  const SelfAttended it = {{"a", "b", "c"}, {one}};
  const Picture picture = self_attention_picture(it);
  constexpr Index kCell = 22, kGap = 10;
  const Index left = picture.width() - 14 - 3 * kCell, top = picture.height() - 14 - 3 * kCell;
  const Colour full = {168, 67, 0}, none = {255, 255, 255};
  EXPECT_EQ(picture.at(left + 3, top + 2 * kCell + 3), full);
  EXPECT_EQ(picture.at(left + kCell + 3, top + 2 * kCell + 3), none);
  EXPECT_EQ(picture.at(left + 3, top + 3), none);
  EXPECT_EQ(picture.at(left - kGap - 3 * kCell + 3, top + 2 * kCell + 3), none);
}

TEST(SelfAttentionPicture, OfManyWordsIsNotLargerThanOfFew) {
  const auto of = [](Index words) {
    return self_attention_picture({std::vector<std::string>(static_cast<std::size_t>(words), "w"),
                                   {Array::zeros({4, words, words}, DType::f32)}});
  };
  EXPECT_LE(of(97).width(), of(16).width());
  EXPECT_EQ(of(401).height(), 14 + 22 + 10 + 401 + 14);
}

TEST(SelfAttention, SaysWhatIsWrong) {
  SelfAttended it = text();
  it.layers[1] = Array::zeros({2, 3, 5}, DType::f32);
  EXPECT_ERROR(ShapeError,
               "self_attention_page: a layer's weights must be [heads, words, words], one or more "
               "of each: f32[2, 3, 5] for 3 words",
               self_attention_page("", {it}));
  it.layers[1] = Array::zeros({2, 3, 3}, DType::i64);
  EXPECT_ERROR_WITH(DTypeError, "weights must be f32 or f64", self_attention_picture(it));
  it.layers.clear();
  EXPECT_ERROR(ValueError, "self_attention_picture: a text without layers",
               self_attention_picture(it));
  it = {{}, {Array::zeros({1, 0, 0}, DType::f32)}};
  EXPECT_ERROR_WITH(ShapeError, "for 0 words", self_attention_picture(it));
}

}  // namespace
}  // namespace heed::train
