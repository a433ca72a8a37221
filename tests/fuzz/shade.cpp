#include "../../train/shade.h"

#include <algorithm>

#include "../../data/utf8.h"

#include "checks.h"
#include "pieces.h"
#include "targets.h"

namespace heed::fuzz {

void shade(std::string_view input) {
  Pieces pieces(input);
  train::AttendedText text(pieces.byte() % 4);
  for (train::AttendedSentence& sentence : text) {
    sentence.weight = pieces.number();
    for (int words = pieces.byte() % 6; words > 0; --words) {
      std::string word = pieces.text();
      sentence.words.push_back({std::move(word), pieces.number()});
    }
  }
  const double largest = train::largest_share(text);
  for (const train::AttendedSentence& sentence : text) {
    for (const train::AttendedWord& word : sentence.words) {
      const double share = train::shade_of(sentence, word, largest);
      require(share >= 0.0 && share <= 1.0, "a share lies between nothing and all");
    }
  }
  const std::string marked = train::shade(text, train::ShadeStyle::marks);
  require(static_cast<std::size_t>(std::count(marked.begin(), marked.end(), '\n')) == text.size(),
          "a sentence takes a line");
  for (const char c : marked) {
    const auto byte = static_cast<unsigned char>(c);
    require(c == '\n' || (byte >= 0x20 && byte != 0x7F), "a text sends the terminal no commands");
  }
  require(data::is_valid_utf8(marked), "what is shown is UTF-8");
  for (const auto style : {train::ShadeStyle::colours256, train::ShadeStyle::true_colour}) {
    const std::string coloured = train::shade(text, style);
    for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
         at = coloured.find('\x1b', at + 1)) {
      const std::string_view rest = std::string_view(coloured).substr(at);
      require(rest.starts_with("\x1b[0m") || rest.starts_with("\x1b[30;48;"),
              "the only commands are those of shades");
    }
  }
}

}  // namespace heed::fuzz
