#include "../../data/utf8.h"

#include <nlohmann/json.hpp>

#include "checks.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

// What another library says.
bool is_valid_elsewhere(std::string_view text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

void utf8(std::string_view input) {
  const bool valid = data::is_valid_utf8(input);
  require(valid == is_valid_elsewhere(input), "two libraries agree on what is UTF-8");
  const std::string repaired = data::repair_utf8(input);
  require(data::is_valid_utf8(repaired), "a repaired text is UTF-8");
  require(!valid || repaired == input, "UTF-8 stays as it is");
  require(repaired.size() <= 3 * input.size(), "three bytes stand for one at most");
  std::string rebuilt;
  for (std::size_t at = 0; at < input.size();) {
    const data::Decoded c = data::decode_utf8(input, at);
    require(c.length >= 1 && c.length <= input.size() - at, "a character lies in the text");
    data::append_utf8(rebuilt, c.code);
    at += c.length;
    const char32_t lower = data::to_lower(c.code);
    require(data::to_lower(lower) == lower, "a small letter stays one");
    require(data::classify(lower) == data::classify(c.code), "small letters are of their class");
  }
  require(rebuilt == repaired, "characters decode and encode");
}

}  // namespace heed::fuzz
