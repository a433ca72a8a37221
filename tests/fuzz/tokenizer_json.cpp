#include "../../data/tokenizers/pretrained_tokenizer.h"

#include <memory>

#include "../../core/error.h"
#include "../../data/utf8.h"
#include "checks.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

// What is asked of whatever was accepted: tokens of a text that has spaces, accents, and two
// writings.
constexpr std::string_view kText = " hello  World\xC3\xBC, don't 12 \xE4\xB8\xAD\xE6\x96\x87!\n<s>";

void tries(const data::PretrainedTokenizer& tokenizer) {
  data::TokenizedText text;
  try {
    text = tokenizer.encode_pair(kText, "b a");
  } catch (const ValueError&) {  // an expression of the file takes too long
    return;
  }
  require(text.ids.size() == text.tokens.size() && text.ids.size() == text.offsets.size() &&
              text.ids.size() == text.types.size() && text.ids.size() == text.special.size(),
          "of each token there is everything");
  for (std::size_t i = 0; i < text.ids.size(); ++i) {
    require(tokenizer.token(text.ids[i]) == text.tokens[i], "numbers are of their tokens");
    const auto [begin, end] = text.offsets[i];
    require(begin <= end && end <= kText.size(), "tokens lie in the text");
  }
  try {
    require(data::is_valid_utf8(tokenizer.decode(text.ids, true)), "a decoded text is UTF-8");
  } catch (const ValueError&) {  // likewise
  }
}

}  // namespace

void tokenizer_json(std::string_view input) {
  std::unique_ptr<data::PretrainedTokenizer> tokenizer;
  // A token is a node of two maps; a byte of an expression some of PCRE2's code, also for the
  // machine.
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 18, .factor = 300}, [&] {
    tokenizer =
        std::make_unique<data::PretrainedTokenizer>(data::PretrainedTokenizer::parse(input, "f"));
  });
  if (accepted) tries(*tokenizer);
}

}  // namespace heed::fuzz
