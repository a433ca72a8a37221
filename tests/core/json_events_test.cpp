#include "../../core/json_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::ElementsAre;

// Takes all there is, and writes it down.
class Notes final : public JsonEvents {
 public:
  Notes() : JsonEvents("a.json", 100) {}
  void on_null() override { heard.emplace_back("null"); }
  void on_bool(bool value) override { heard.emplace_back(value ? "true" : "false"); }
  void on_int(std::int64_t value) override { heard.push_back(std::to_string(value)); }
  void on_double(double value) override { heard.push_back("d" + std::to_string(value)); }
  void on_string(const std::string& value) override { heard.push_back("\"" + value + "\""); }
  void on_key(const std::string& key) override { heard.push_back(key + ":"); }
  void on_object_begin() override { heard.emplace_back("{"); }
  void on_object_end() override { heard.emplace_back("}"); }
  void on_array_begin() override { heard.emplace_back("["); }
  void on_array_end() override { heard.emplace_back("]"); }
  std::vector<std::string> heard;
};

std::vector<std::string> heard(std::string_view text) {
  Notes notes;
  read_json_object(text, notes);
  return notes.heard;
}

TEST(JsonEvents, ComeInTheOrderOfTheText) {
  EXPECT_THAT(heard(R"( {"a": [1, -2, 2.5, true, false, null], "b": {"c": "d\n"}}
)"),
              ElementsAre("{", "a:", "[", "1", "-2", "d2.500000", "true", "false", "null", "]",
                          "b:", "{", "c:", "\"d\n\"", "}", "}"));
  EXPECT_THAT(heard("{}"), ElementsAre("{", "}"));
}

TEST(JsonEvents, IntegersHave64Bits) {
  EXPECT_THAT(heard(R"({"a": 9223372036854775807})"),
              ElementsAre("{", "a:", "9223372036854775807", "}"));
  EXPECT_THAT(heard(R"({"a": -9223372036854775808})"),
              ElementsAre("{", "a:", "-9223372036854775808", "}"));
  EXPECT_ERROR(FormatError,
               "a.json: at byte 100: the integer 9223372036854775808 is larger than 64 bits with a "
               "sign hold",
               heard(R"({"a": 9223372036854775808})"));
  EXPECT_ERROR(FormatError,
               "a.json: at byte 100: the integer \"99999999999999999999\" is larger than 64 bits "
               "hold",
               heard(R"({"a": 99999999999999999999})"));
  EXPECT_THAT(heard(R"({"a": 1e2, "b": 1E2, "c": 1.0})"),
              ElementsAre("{", "a:", "d100.000000", "b:", "d100.000000", "c:", "d1.000000", "}"));
}

TEST(JsonEvents, BrokenTextIsNamedByItsByte) {
  EXPECT_ERROR(FormatError, "a.json: at byte 105: this is not valid JSON", heard(R"({"a" 1})"));
  EXPECT_ERROR(FormatError, "a.json: at byte 102: this is not valid JSON", heard("{}x"));
  EXPECT_ERROR(FormatError, "a.json: at byte 103: a zero byte within JSON",
               heard(std::string_view("{ \n\0}", 5)));
  EXPECT_ERROR_WITH(FormatError, "this is not valid JSON", heard("{"));
  EXPECT_ERROR_WITH(FormatError, "this is not valid JSON", heard("{\"a\xff\": 1}"));
}

TEST(JsonEvents, OneObjectIsExpected) {
  const std::string message = "a.json: at byte 100: a JSON object beginning with '{' is expected";
  for (const char* text : {"", " \t\r\n", "[1]", "3", "\xEF\xBB\xBF{}"}) {
    EXPECT_ERROR(FormatError, message, heard(text));
  }
  EXPECT_THAT(heard(" \t\r\n{}"), ElementsAre("{", "}"));
}

// A reader that says nothing of its format takes nothing but the ends of what it did not begin.
class Nothing : public JsonEvents {
 public:
  Nothing() : JsonEvents("b.json", 7) {}
  void on_object_begin() override {}
  void on_key(const std::string&) override {}
};

TEST(JsonEvents, WhatAReaderDoesNotExpectIsAnError) {
  const auto read = [](const char* text) {
    Nothing events;
    read_json_object(text, events);
  };
  EXPECT_NO_THROW(read("{}"));
  const auto refuses = [&](const char* text, const char* what) {
    EXPECT_ERROR(FormatError, std::string("b.json: at byte 7: ") + what + " is unexpected",
                 read(text));
  };
  refuses(R"({"a": null})", "null");
  refuses(R"({"a": true})", "a boolean");
  refuses(R"({"a": 3})", "an integer");
  refuses(R"({"a": 3.5})", "a number with a fraction");
  refuses(R"({"a": "b"})", "a string");
  refuses(R"({"a": []})", "an array");
  JsonEvents plain("c.json", 0);
  EXPECT_ERROR(FormatError, "c.json: at byte 0: a key is unexpected", plain.on_key("a"));
  EXPECT_ERROR(FormatError, "c.json: at byte 0: an object is unexpected",
               read_json_object("{}", plain));
  EXPECT_EQ(plain.path(), "c.json");
  EXPECT_EQ(Nothing().offset(), 7U);
}

TEST(JsonQuote, IsALiteral) {
  EXPECT_EQ(json_quote("a"), "\"a\"");
  EXPECT_EQ(json_quote("a\"b\\\n"), R"("a\"b\\\n")");
  EXPECT_EQ(json_quote("größer"), "\"größer\"");
  EXPECT_ERROR(ValueError, "json: a string is not valid UTF-8", json_quote("\xff"));
}

}  // namespace
}  // namespace heed
