#include "../../../data/tokenizers/post_processors.h"

#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

// "101 A0 102", texts with their types, tokens of another type than 0 as "102/1".
std::string said(const std::vector<Slot>& slots) {
  std::string out;
  for (const Slot& each : slots) {
    if (!out.empty()) out += ' ';
    out += each.text < 0 ? std::to_string(each.id) : each.text == 0 ? "A" : "B";
    if (each.type != 0) out += "/" + std::to_string(each.type);
  }
  return out;
}
std::string said(const std::string& json) {
  const Template own = part(json, read_template);
  return said(own.single) + " | " + said(own.pair) + (own.trims ? " trims" : "") +
         (own.keeps_prefix ? " but the first" : "");
}

const std::string kMarks = R"("sep": ["[SEP]", 102], "cls": ["[CLS]", 101])";
const std::string kTemplate = R"({"type": "TemplateProcessing",
  "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "end", "type_id": 0}}],
  "pair": [{"Sequence": {"id": "B", "type_id": 2}}, {"SpecialToken": {"id": "end", "type_id": 1}}, {"Sequence": {"id": "A"}}],
  "special_tokens": {"end": {"id": "end", "ids": [5, 6], "tokens": ["e", "nd"]}}})";

TEST(PostProcessors, PutTokensAround) {
  EXPECT_EQ(said("null"), "A | A B/1");
  EXPECT_EQ(said(R"({"type": "BertProcessing", )" + kMarks + "}"),
            "101 A 102 | 101 A 102 B/1 102/1");
  EXPECT_EQ(said(R"({"type": "RobertaProcessing", )" + kMarks + "}"),
            "101 A 102 | 101 A 102 102 B 102 trims but the first");
  EXPECT_EQ(said(R"({"type": "RobertaProcessing", "trim_offsets": false, )" + kMarks + "}"),
            "101 A 102 | 101 A 102 102 B 102");
  EXPECT_EQ(said(kTemplate), "A 5 6 | B/2 5/1 6/1 A");
  EXPECT_EQ(said(R"({"type": "ByteLevel"})"), "A | A B/1 trims but the first");
  EXPECT_EQ(said(R"({"type": "ByteLevel", "add_prefix_space": false})"), "A | A B/1 trims");
  EXPECT_EQ(said(R"({"type": "ByteLevel", "trim_offsets": false})"), "A | A B/1");
}

TEST(PostProcessors, GoOneAfterAnother) {
  const auto both = [](const std::string& first, const std::string& second) {
    return R"({"type": "Sequence", "processors": [)" + first + ", " + second + "]}";
  };
  const std::string trims = R"({"type": "ByteLevel"})",
                    keeps = R"({"type": "ByteLevel", "trim_offsets": false})";
  EXPECT_EQ(said(both(trims, kTemplate)), "A 5 6 | B/2 5/1 6/1 A trims but the first");
  EXPECT_EQ(said(both(kTemplate, trims)), "A 5 6 | B/2 5/1 6/1 A trims but the first");
  EXPECT_EQ(said(both(keeps, kTemplate)), "A 5 6 | B/2 5/1 6/1 A");
  EXPECT_EQ(said(both(trims, keeps)), "A | A B/1 trims but the first");
  EXPECT_ERROR_WITH(FormatError, "processors[1] adds tokens where another has",
                    part(both(kTemplate, kTemplate), read_template));
}

TEST(PostProcessors, AreReadStrictly) {
  EXPECT_ERROR_WITH(FormatError, "type is \"Polish\", which is not known",
                    part(R"({"type": "Polish"})", read_template));
  EXPECT_ERROR_WITH(
      FormatError, "id must be A or B",
      part(R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "C"}}], "pair": []})",
           read_template));
  EXPECT_ERROR_WITH(
      FormatError, "cls must be a token and its number",
      part(R"({"type": "BertProcessing", "cls": ["a"], "sep": ["b", 1]})", read_template));
}

}  // namespace
}  // namespace heed::data::tokenizers
