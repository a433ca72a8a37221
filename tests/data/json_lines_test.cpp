#include "../../data/json_lines.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using Lines = std::vector<std::string>;

Lines read_all(const std::string& path, const std::string& label, const std::string& text) {
  JsonLinesReader reader(path, label, text);
  Lines out;
  for (LabelledText read; reader.next(read);) {
    out.push_back(std::to_string(read.line) + "|" + read.label + "|" + read.text);
  }
  return out;
}

// The error of reading `content` with the fields y and x, without the file's folder.
std::string error_of(std::string_view content, const std::string& text = "x") {
  const TemporaryFile file(content, "a.jsonl");
  const std::string message = message_of<Error>([&] { read_all(file.path(), "y", text); });
  return message.starts_with(file.folder()) ? message.substr(file.folder().size() + 1) : message;
}

TEST(JsonLines, ReadsFieldsByName) {
  const TemporaryFile file(
      "\xEF\xBB\xBF{\"y\": \"pos\", \"x\": \"a \\u4f60\", \"more\": [\"b\", \"c\"]}\r\n\n"
      "{\"y\": 3, \"x\": \"d\", \"more\": []}\n{\"y\": true, \"x\": \"e\", \"more\": \"f\"}");
  EXPECT_EQ(read_all(file.path(), "y", "x"), (Lines{"1|pos|a 你", "3|3|d", "4|true|e"}));
  EXPECT_EQ(read_all(file.path(), "", "x,more"), (Lines{"1||a 你\nb\nc", "3||d", "4||e\nf"}));
}

TEST(JsonLines, ReplacesInvalidUtf8) {
  const TemporaryFile file("{\"y\": \"p\", \"x\": \"caf\xE9\"}\n");
  EXPECT_EQ(read_all(file.path(), "y", "x"), Lines{"1|p|caf\uFFFD"});
}

TEST(JsonLines, NamesTheLineThatIsWrong) {
  const std::string good = "{\"y\": \"p\", \"x\": \"a\"}\n";
  EXPECT_EQ(error_of(""), "a.jsonl:1: the file has no texts");
  EXPECT_EQ(error_of(good + "{\"y\": \"p\", x}\n"), "a.jsonl:2: not valid JSON at column 12");
  EXPECT_EQ(error_of("[1]\n"), "a.jsonl:1: must be an object, is a JSON array");
  EXPECT_EQ(error_of("{\"y\": \"p\", \"z\": 1}\n"),
            "a.jsonl:1: no field \"x\"; the fields are \"y\", \"z\"");
  EXPECT_EQ(error_of("{\"x\": \"a\"}\n"), "a.jsonl:1: no field \"y\"; the fields are \"x\"");
  EXPECT_EQ(error_of("{\"y\": null, \"x\": \"a\"}\n"),
            "a.jsonl:1: the label \"y\" must be a string, is null");
  EXPECT_EQ(error_of("{\"y\": \"\", \"x\": \"a\"}\n"), "a.jsonl:1: no label");
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": \" \"}\n"), "a.jsonl:1: no text");
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": []}\n"), "a.jsonl:1: no text");
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": 5}\n"),
            "a.jsonl:1: the text \"x\" must be a string or an array of strings, is a JSON number");
  EXPECT_EQ(
      error_of("{\"y\": \"p\", \"x\": [\"a\", {}]}\n"),
      "a.jsonl:1: the text \"x\" must be a string or an array of strings, holds a JSON object");
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": \"\\ud800\"}\n").substr(0, 27),
            "a.jsonl:1: not valid JSON a");
  EXPECT_EQ(error_of(good, "x,"), "jsonl: no field is chosen for the text");
  EXPECT_EQ(error_of(good, ""), "jsonl: no field is chosen for the text");
}

TEST(JsonLines, NamesEachKindThatAValueIs) {
  const std::pair<const char*, const char*> kinds[] = {
      {"5", "a JSON number"},     {"-5", "a JSON number"}, {"0.5", "a JSON number"},
      {"true", "a JSON boolean"}, {"null", "null"},        {"\"a\"", "a JSON string"},
      {"[]", "a JSON array"},     {"{}", "a JSON object"}};
  for (const auto& [value, kind] : kinds) {
    const std::string own = value, is = kind;
    if (own != "{}") {
      EXPECT_EQ(error_of(own + "\n"), "a.jsonl:1: must be an object, is " + is);
    }
    if (own == "\"a\"") continue;
    if (own != "[]") {
      EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": " + own + "}\n"),
                "a.jsonl:1: the text \"x\" must be a string or an array of strings, is " + is);
    }
    EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": [\"a\", " + own + "]}\n"),
              "a.jsonl:1: the text \"x\" must be a string or an array of strings, holds " + is);
    if (own == "5" || own == "-5" || own == "true") {
      const TemporaryFile file("{\"y\": " + own + ", \"x\": \"a\"}\n");
      EXPECT_EQ(read_all(file.path(), "y", "x"), Lines{"1|" + own + "|a"});
      EXPECT_EQ(error_of("{\"y\": " + own + "}\n", "y"),
                "a.jsonl:1: the label \"y\" must be a string, is " + is);
    } else {
      EXPECT_EQ(error_of("{\"y\": " + own + ", \"x\": \"a\"}\n"),
                "a.jsonl:1: the label \"y\" must be a string, is " + is);
    }
  }
  const TemporaryFile both("{\"y\": \"p\"}\n{\"y\": \"q\", \"z\": false}\n");
  EXPECT_EQ(read_all(both.path(), "y", "y"), (Lines{"1|p|p", "2|q|q"}));
  const TemporaryFile no("{\"y\": false, \"x\": \"a\"}\n");
  EXPECT_EQ(read_all(no.path(), "y", "x"), Lines{"1|false|a"});
}

TEST(JsonLines, RefusesNumbersBeyondDoubles) {
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": \"a\", \"z\": 1e444}\n"),
            "a.jsonl:1: a number beyond the range of doubles at column 31");
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": -1e444}\n"),
            "a.jsonl:1: a number beyond the range of doubles at column 22");
}

TEST(JsonLines, RefusesWhatJsonDoesNotHave) {
  using namespace std::string_literals;
  const std::string good = "{\"y\": \"p\", \"x\": \"a\"}";
  EXPECT_EQ(error_of(good + "\0 and more\n"s), "a.jsonl:1: not valid JSON at column 21");
  EXPECT_EQ(error_of(good + good + "\n"), "a.jsonl:1: not valid JSON at column 21");
}

TEST(JsonLines, TakesAChosenFieldOnce) {
  EXPECT_EQ(error_of("{\"y\": \"p\", \"x\": \"a\", \"x\": \"b\"}\n"),
            "a.jsonl:1: the field \"x\" stands twice");
  const TemporaryFile file(
      "{\"z\": 1, \"y\": \"p\", \"z\": {\"x\": [2]}, \"x\": [\"\", \"a\", \"\"]}\n");
  EXPECT_EQ(read_all(file.path(), "y", "x"), Lines{"1|p|a\n"});
  EXPECT_EQ(read_all(file.path(), "", "x,y,x"), Lines{"1||a\n\np\na\n"});
}

TEST(JsonLines, NamesTheFirstFieldsOfMany) {
  std::string line;
  for (int i = 0; i < 23; ++i) line += (i == 0 ? "{\"" : ", \"") + std::to_string(i) + "\": 0";
  std::string names;
  for (int i = 0; i < 20; ++i) names += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\"";
  EXPECT_EQ(error_of(line + "}\n", "t"),
            "a.jsonl:1: no field \"y\"; the fields are " + names + " and 3 more");
}

TEST(JsonLines, NamesFewerFieldsOfLongNames) {
  std::string line;
  for (int i = 0; i < 23; ++i) {
    line += (i == 0 ? "{\"" : ", \"") + std::to_string(i % 10) + std::string(5003, 'k') +
            std::to_string(i) + "\": 0";
  }
  const std::string error = error_of(line + "}\n", "t");
  EXPECT_LT(error.size(), 1400U);
  EXPECT_TRUE(error.ends_with("bytes) and 12 more")) << error;
}

TEST(JsonLines, SurvivesDeepNesting) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_EQ(
      error_of("{\"y\": \"p\", \"x\": " + deep + "}\n"),
      "a.jsonl:1: the text \"x\" must be a string or an array of strings, holds a JSON array");
}

}  // namespace
}  // namespace heed::data
