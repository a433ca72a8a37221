#include "../../io/fields.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::io {
namespace {

enum class Kind { global, local };

struct Options {
  Index width = 3;
  double rate = 0.5;
  bool loud = false;
  std::string name = "one";
  std::string way = "up";
  Kind kind = Kind::global;
  void fields(Fields& f) {
    f.size("width", width, 1, 7, "of words");
    f.number("rate", rate, 0, 1, "of learning");
    f.flag("loud", loud, "says all");
    f.text("name", name, "whose");
    f.choice("way", way, {"up", "down"}, "where to");
    f.choice("kind", kind, {{"global", Kind::global}, {"local", Kind::local}}, "of attention");
  }
};

TEST(Fields, AreWrittenAndReadBack) {
  const Options given{
      .width = 5, .rate = 0.25, .loud = true, .name = "two", .way = "down", .kind = Kind::local};
  Config config;
  write_fields(config, given);
  EXPECT_EQ(config.to_json(),
            "{\n  \"kind\": \"local\",\n  \"loud\": true,\n  \"name\": \"two\",\n  "
            "\"rate\": 0.25,\n  \"way\": \"down\",\n  \"width\": 5\n}\n");
  const auto read = read_fields<Options>(config);
  EXPECT_EQ(read.width, 5);
  EXPECT_EQ(read.rate, 0.25);
  EXPECT_TRUE(read.loud);
  EXPECT_EQ(read.name, "two");
  EXPECT_EQ(read.way, "down");
  EXPECT_EQ(read.kind, Kind::local);
}

TEST(Fields, AreCheckedWhereTheyComeFrom) {
  EXPECT_NO_THROW(check_fields(Options()));
  EXPECT_ERROR(ValueError, "width 8 must be in [1, 7]", check_fields(Options{.width = 8}));
  EXPECT_ERROR(ValueError, "rate 1.5 must be in [0, 1]", check_fields(Options{.rate = 1.5}));
  EXPECT_ERROR(ValueError, "width 0 must be in [1, 7]", check_fields(Options{.width = 0}));
  EXPECT_ERROR(ValueError, "rate -0.5 must be in [0, 1]", check_fields(Options{.rate = -0.5}));
  EXPECT_ERROR(ValueError, "rate nan must be in [0, 1]", check_fields(Options{.rate = NAN}));
  for (const double end : {0.0, 1.0}) {
    EXPECT_NO_THROW(check_fields(Options{.width = end == 0 ? 1 : 7, .rate = end}));
  }
  EXPECT_ERROR(ValueError, "way \"left\" is none of \"up\", \"down\"",
               check_fields(Options{.way = "left"}));
  EXPECT_ERROR(ValueError, "kind \"\" is none of \"global\", \"local\"",
               check_fields(Options{.kind = Kind{2}}));
  const Options good{.width = 5};
  EXPECT_EQ(&checked_fields(good), &good);
  EXPECT_THROW(checked_fields(Options{.width = 8}), ValueError);
  Config config;
  EXPECT_THROW(write_fields(config, Options{.way = "left"}), ValueError);
  EXPECT_THROW(write_fields(config, Options{.kind = Kind{2}}), ValueError);
  EXPECT_THROW(write_fields(config, Options{.rate = NAN}), ValueError);
}

TEST(Fields, OfAFileAreReadStrictly) {
  Config good;
  write_fields(good, Options());
  const auto refused = [&](const char* key, const Config::Value& value) {
    Config config = good;
    config.set(key, value);
    return message_of<FormatError>([&] { read_fields<Options>(config); });
  };
  EXPECT_NE(refused("width", std::int64_t{8}).find("[1, 7]"), std::string::npos);
  EXPECT_NE(refused("rate", -0.5).find("[0, 1]"), std::string::npos);
  for (const std::int64_t end : {1, 7}) {
    Config config = good;
    config.set("width", end);
    EXPECT_EQ(read_fields<Options>(config).width, end);
  }
  EXPECT_NE(refused("width", std::int64_t{0}).find("width"), std::string::npos);
  EXPECT_NE(refused("rate", 2.0).find("rate"), std::string::npos);
  EXPECT_NE(refused("loud", std::string("yes")).find("loud"), std::string::npos);
  EXPECT_NE(refused("name", true).find("name"), std::string::npos);
  EXPECT_NE(refused("way", std::string("left")).find("way"), std::string::npos);
  EXPECT_NE(refused("kind", std::string("all")).find("kind"), std::string::npos);
  EXPECT_THROW(read_fields<Options>(Config()), FormatError);
}

TEST(Fields, ThatCameLaterMayBeMissing) {
  Config some;
  some.set("width", std::int64_t{7});
  some.set("way", std::string("down"));
  const Options read = read_known_fields(some, Options{.rate = 0.25, .name = "three"});
  EXPECT_EQ(read.width, 7);
  EXPECT_EQ(read.rate, 0.25);
  EXPECT_EQ(read.name, "three");
  EXPECT_EQ(read.way, "down");
  EXPECT_EQ(read.kind, Kind::global);
  EXPECT_FALSE(read.loud);
  some.set("width", std::int64_t{8});
  EXPECT_THROW(read_known_fields<Options>(some), FormatError);
}

}  // namespace
}  // namespace heed::io
