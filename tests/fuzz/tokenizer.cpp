#include "../../data/tokenizer.h"

#include "../../data/utf8.h"
#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void tokenizer(std::string_view input) {
  const PeakMemory memory;
  const std::vector<data::Token> tokens = data::tokenize_with_places(input);
  require_within(memory, input.size(), {.fixed = 4096, .factor = 200});
  std::vector<std::string> texts;
  std::string joined;
  std::size_t end = 0;
  for (const data::Token& token : tokens) {
    require(token.begin >= end && token.end > token.begin && token.end <= input.size(),
            "tokens lie in the text, one after another");
    end = token.end;
    require(!token.text.empty() && data::is_valid_utf8(token.text), "a token is UTF-8");
    require(token.text.size() <= 4 * data::kLongestWord, "a token is not long");
    texts.push_back(token.text);
    joined += token.text + ' ';
  }
  require(data::tokenize(input) == texts, "places change no token");
  require(data::tokenize(joined) == texts, "tokens are tokens of their own");
}

}  // namespace heed::fuzz
