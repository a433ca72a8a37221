#include "../../core/json_tree.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

class JsonTrees : public testing::Test {
 protected:
  JsonView view(std::string_view text) {
    tree_ = JsonTree::parse(text, path_);
    return {tree_, path_};
  }

 private:
  const std::string path_ = "a.json";
  JsonTree tree_;
};

TEST_F(JsonTrees, GiveWhatWasWritten) {
  const JsonView a = view(R"({"n": null, "t": true, "f": false, "i": -7, "d": 2.5, "s": "word",
                              "l": [3, [5]], "o": {"x": 1, "y": {"z": "deep"}}})");
  EXPECT_TRUE(a.is_object());
  EXPECT_TRUE(a["n"].is_null());
  EXPECT_TRUE(a["t"].truth());
  EXPECT_FALSE(a["f"].truth());
  EXPECT_EQ(a["i"].integer(), -7);
  EXPECT_EQ(a["i"].number(), -7.0);
  EXPECT_EQ(a["d"].number(), 2.5);
  EXPECT_EQ(a["s"].text(), "word");
  EXPECT_TRUE(a["s"].is_text());
  EXPECT_TRUE(a["l"].is_list());
  EXPECT_FALSE(a["l"].is_object() || a["l"].is_text() || a["l"].is_null());
  EXPECT_EQ(a["l"].size(), 2U);
  EXPECT_EQ(a["l"][std::size_t{1}][std::size_t{0}].integer(), 5);
  EXPECT_EQ(a["o"].size(), 2U);
  EXPECT_EQ(a["o"].key(1), "y");
  EXPECT_EQ(a["o"][std::size_t{1}]["z"].text(), "deep");
}

TEST_F(JsonTrees, HaveFieldsThatMayBeMissing) {
  const JsonView a = view(R"({"t": false, "i": 7, "s": "word", "n": null})");
  EXPECT_TRUE(a.has("t"));
  EXPECT_FALSE(a.has("u"));
  EXPECT_FALSE(a.has("n"));
  EXPECT_FALSE(a.truth("t", true));
  EXPECT_TRUE(a.truth("u", true));
  EXPECT_FALSE(a.truth("n", false));
  EXPECT_EQ(a.integer("i", 3), 7);
  EXPECT_EQ(a.integer("j", 3), 3);
  EXPECT_EQ(a.text("s", "other"), "word");
  EXPECT_EQ(a.text("n", "other"), "other");
}

TEST_F(JsonTrees, NameThePlaceOfWhatDoesNotFit) {
  const JsonView a = view(R"({"model": {"merges": [1, {"x y": "b"}], "n": null}, "d": 2.5})");
  const auto says = [](const std::string& text) { return "a.json: at byte 0: " + text; };
  const JsonView model = a["model"], merges = model["merges"];
  EXPECT_ERROR(FormatError, says("model.merges[0] must be a text"), merges[std::size_t{0}].text());
  EXPECT_ERROR(FormatError, says("model.merges[1].x y must be an integer"),
               merges[std::size_t{1}][std::size_t{0}].integer());
  EXPECT_ERROR(FormatError, says("model[1] must be an object"),
               JsonView(JsonTree(), "a.json", "model[1]").fail("must be an object"));
  EXPECT_ERROR(FormatError, says("model.n is missing, it must be true or false"),
               model["n"].truth());
  EXPECT_ERROR(FormatError, says("model.gone is missing, it must be a list"), model["gone"].size());
  EXPECT_ERROR(FormatError, says("d must be an integer"), a["d"].integer());
  EXPECT_ERROR(FormatError, says("model must be a number"), model.number());
  EXPECT_ERROR(FormatError, says("model.merges must be an object"), merges.key(0));
  EXPECT_ERROR(FormatError, says("model.merges must be an object"), merges["x"]);
  EXPECT_ERROR(FormatError, says("the file must be a list or two"),
               a.fail("must be a list or two"));
  EXPECT_ERROR(FormatError, says("d must be a list"), a["d"].size());
  EXPECT_ERROR(FormatError, says("model[\\n] must be true or false"),
               view("{\"model[\\n]\": 3}")[std::size_t{0}].truth());
  EXPECT_THROW(view("{}")[std::size_t{0}], std::out_of_range);
  EXPECT_ERROR(FormatError, says("d must be a list"), view("{\"d\": 1}")["d"][std::size_t{0}]);
}

TEST_F(JsonTrees, NamePlacesInShort) {
  const std::string key(5003, 'k');
  const std::string text = "{\"" + key + "\": {\"b\": 1}}";
  EXPECT_ERROR(FormatError,
               "a.json: at byte 0: \"" + key.substr(0, 80) + "...\" (5003 bytes).b must be a text",
               view(text)[std::size_t{0}]["b"].text());
  EXPECT_ERROR_WITH(FormatError, "(5003 bytes) is missing", view("{}")[key].text());
}

TEST_F(JsonTrees, AreSmall) { EXPECT_LE(sizeof(JsonTree), 32U); }

TEST_F(JsonTrees, HoldEachKeyOnceInItsObject) {
  EXPECT_ERROR(FormatError, "a.json: at byte 0: \"a\" is there twice",
               view(R"({"a": 1, "b": 2, "a": 3})"));
  EXPECT_ERROR_WITH(FormatError, "\"b\" is there twice", view(R"({"a": {"b": 1, "b": 2}})"));
  EXPECT_EQ(view(R"({"a": {"a": 1}, "b": {"a": 2}})")["b"]["a"].integer(), 2);
  EXPECT_EQ(view(R"({"l": [{"a": 1}, {"a": 2}], "a": 3})")["a"].integer(), 3);
}

TEST_F(JsonTrees, HaveUpTo64Levels) {
  const auto nested = [](std::size_t lists) {
    return "{\"a\": " + std::string(lists, '[') + std::string(lists, ']') + "}";
  };
  EXPECT_TRUE(view(nested(63))["a"].is_list());
  EXPECT_ERROR(FormatError, "a.json: at byte 0: more than 64 levels", view(nested(64)));
}

TEST_F(JsonTrees, ThatAreNothingYetAreNull) {
  const JsonTree nothing;
  const JsonView a(nothing, "b.json");
  EXPECT_TRUE(a.is_null());
  EXPECT_FALSE(nothing.truth);
  EXPECT_EQ(nothing.integer, 0);
  EXPECT_EQ(nothing.real, 0);
}

}  // namespace
}  // namespace heed
