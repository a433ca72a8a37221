// A strict reader of the markup that we write. It knows what XML allows and the little that HTML
// adds, and takes nothing on trust: tags balance, attributes are quoted and stand once, no '<',
// '>' or bare '&' stands in a text, and there is no character that XML forbids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::fuzz {

struct Markup {
  /// A line "name attribute attribute" for each tag in order, "/name" where it ends: what foreign
  /// texts must not change.
  std::string tags;
  /// What stands between tags and in attributes, as it was before it was escaped.
  std::string text;
  /// What stands within script elements, one after another.
  std::vector<std::string> scripts;
};

/// Throw BrokenPromise.
Markup read_xml(std::string_view text);
Markup read_html(std::string_view text);

/// Requires a sequence of characters that XML allows, in UTF-8.
void require_characters(std::string_view text);

}  // namespace heed::fuzz
