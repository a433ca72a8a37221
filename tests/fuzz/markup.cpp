#include "../../train/markup.h"

#include "../../data/markup.h"
#include "../../data/utf8.h"
#include "checks.h"
#include "targets.h"
#include "well_formed.h"

namespace heed::fuzz {

void markup(std::string_view input) {
  const std::string escaped = train::escape_markup(input);
  require(escaped.size() <= 6 * input.size(), "six bytes stand for one at most");
  const std::string page = "<p title=\"" + escaped + "\">" + escaped + "</p>";
  const Markup read = read_xml(page);
  require(read.tags == "p title\n/p\n", "a text stays a text");
  // What comes back is the text, but for what is dropped or replaced.
  std::string kept;
  const std::string repaired = data::repair_utf8(input);
  for (std::size_t at = 0; at < repaired.size();) {
    const data::Decoded c = data::decode_utf8(repaired, at);
    at += c.length;
    const bool control =
        (c.code < 0x20 && c.code != '\n' && c.code != '\t') || (c.code >= 0x7F && c.code < 0xA0);
    const bool forbidden = c.code == 0xFFFE || c.code == 0xFFFF;
    if (!control) data::append_utf8(kept, forbidden ? data::kReplacement : c.code);
  }
  require(read.text.find(kept) != std::string::npos, "the text comes back");

  for (std::size_t at = 0; at < input.size(); ++at) {
    if (input[at] != '<') continue;
    const data::Tag tag = data::tag_at(input, at);
    require(tag.length <= 257 && tag.length <= input.size() - at, "a tag lies in the text");
    require(tag.length == 0 || input[at + tag.length - 1] == '>', "a tag ends in >");
  }
}

}  // namespace heed::fuzz
