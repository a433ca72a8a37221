#include "../../io/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::io {
namespace {

using testing::HasSubstr;

void expect_rejected(const std::string& json, const std::string& why) {
  EXPECT_THAT(message_of<FormatError>([&] { Config::parse(json, "dir/config.json"); }),
              testing::AllOf(HasSubstr("dir/config.json"), HasSubstr(why)))
      << json;
}

TEST(Config, ComesBackAsItWas) {
  Config config;
  config.set("classes", 7);
  config.set("dropout", 0.1);
  config.set("whole", 3.0);
  config.set("tiny", 5e-324);
  config.set("bidirectional", true);
  config.set("pooling", "\"att\nention\" \xe4\xb8\xad");
  config.set("least", std::numeric_limits<std::int64_t>::min());
  const std::string json = config.to_json();
  const Config back = Config::parse(json, "config.json");
  EXPECT_EQ(back.to_json(), json);
  EXPECT_EQ(back.get_int("classes"), 7);
  EXPECT_EQ(back.get_double("classes"), 7.0);
  EXPECT_EQ(back.get_double("dropout"), 0.1);
  EXPECT_EQ(back.get_double("whole"), 3.0);
  EXPECT_EQ(back.get_double("tiny"), 5e-324);
  EXPECT_TRUE(back.get_bool("bidirectional"));
  EXPECT_EQ(back.get_string("pooling"), "\"att\nention\" \xe4\xb8\xad");
  EXPECT_EQ(back.get_int("least"), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(back.has("pooling"));
  EXPECT_FALSE(back.has("pool"));
  EXPECT_THROW(back.get_int("whole"), FormatError);
}

TEST(Config, EmptyIsAnObject) {
  EXPECT_EQ(Config::parse(Config().to_json(), "c").to_json(), Config().to_json());
}

TEST(Config, GettersNameFileAndKey) {
  const Config config = Config::parse(R"({"hidden": -5, "name": "x", "on": 1})", "dir/config.json");
  EXPECT_ERROR(FormatError, "dir/config.json: at byte 0: the setting \"width\" is missing",
               config.get_int("width"));
  EXPECT_ERROR_WITH(FormatError, "\"hidden\" must be in [1, 4096], not -5",
                    config.get_int("hidden", 1, 4096));
  EXPECT_ERROR_WITH(FormatError, "\"name\" must be an integer, not text", config.get_int("name"));
  EXPECT_ERROR_WITH(FormatError, "\"on\" must be a boolean, not an integer", config.get_bool("on"));
  EXPECT_ERROR_WITH(FormatError, "\"name\" must be a number, not text", config.get_double("name"));
  EXPECT_ERROR_WITH(FormatError, "\"hidden\" must be text, not an integer",
                    config.get_string("hidden"));
}

TEST(Config, RangesHoldTheirEnds) {
  const Config config =
      Config::parse(R"({"hidden": -5, "rate": 0.5, "on": true, "off": false})", "f");
  EXPECT_EQ(config.get_int("hidden", -5, -5), -5);
  EXPECT_EQ(config.get_double("hidden", -5, -5), -5);
  EXPECT_EQ(config.get_double("rate", 0.5, 0.5), 0.5);
  EXPECT_ERROR_WITH(FormatError, "\"hidden\" must be in [-4, 9], not -5",
                    config.get_int("hidden", -4, 9));
  EXPECT_ERROR_WITH(FormatError, "\"hidden\" must be in [-9, -6], not -5",
                    config.get_int("hidden", -9, -6));
  EXPECT_ERROR_WITH(FormatError, "\"rate\" must be in [0.6, 1], not 0.5",
                    config.get_double("rate", 0.6, 1));
  EXPECT_ERROR_WITH(FormatError, "\"rate\" must be in [0, 0.4], not 0.5",
                    config.get_double("rate", 0, 0.4));
  EXPECT_ERROR_WITH(FormatError, "\"on\" must be an integer, not a boolean", config.get_int("on"));
  EXPECT_ERROR_WITH(FormatError, "\"rate\" must be an integer, not a number",
                    config.get_int("rate"));
  EXPECT_TRUE(config.get_bool("on"));
  EXPECT_FALSE(config.get_bool("off"));
  EXPECT_EQ(config.to_json(),
            "{\n  \"hidden\": -5,\n  \"off\": false,\n  \"on\": true,\n  \"rate\": 0.5\n}\n");
}

TEST(Config, LargeNumbersStayNumbers) {
  Config config;
  for (const double number : {1e300, -1e20, 1e15, 123456789012345680.0}) {
    config.set("x", number);
    EXPECT_EQ(Config::parse(config.to_json(), "f").get_double("x"), number);
    EXPECT_THROW(Config::parse(config.to_json(), "f").get_int("x"), FormatError);
  }
  EXPECT_ERROR_WITH(FormatError, "configuration: at byte 0: the setting \"y\" is missing",
                    config.get_int("y"));
}

TEST(Config, RejectsWhatIsNoFlatObject) {
  expect_rejected("", "object beginning with '{'");
  expect_rejected("[1]", "object beginning with '{'");
  expect_rejected("\xef\xbb\xbf{}", "object beginning with '{'");
  expect_rejected("{\"a\": 1", "at byte 7: this is not valid JSON");
  expect_rejected("{\"a\": 1} x", "not valid JSON");
  expect_rejected("{\"a\": \"\xff\"}", "not valid JSON");
  expect_rejected(std::string("{\"a\": 1}\0{}", 11), "zero byte");
  expect_rejected("{\"a\": 1, \"a\": 2}", "\"a\" stands twice");
  expect_rejected("{\"a\": {\"b\": 1}}", "\"a\" is an object");
  expect_rejected("{\"a\": [1]}", "\"a\" is an array");
  expect_rejected("{\"a\": null}", "\"a\" is null");
  expect_rejected("{\"a\": 9223372036854775808}", "9223372036854775808 is larger");
  expect_rejected("{\"a\": 123456789012345678901234567890}", "is larger than 64 bits");
  expect_rejected("{\"a\": 1e999}", "not valid JSON");
  expect_rejected("{\"a\": " + std::string(1'000'000, '['), "\"a\" is an array");
}

TEST(Config, RefusesWhatJsonCannotHold) {
  Config config;
  EXPECT_THROW(config.set("lr", std::nan("")), ValueError);
  EXPECT_THROW(config.set("lr", INFINITY), ValueError);
  config.set("name", "\xff");
  EXPECT_THROW(config.to_json(), ValueError);
}

}  // namespace
}  // namespace heed::io
