#include "../../data/tokenizers/sentencepiece_model.h"

#include "../../data/tokenizers/pretrained_tokenizer.h"
#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void sentencepiece_model(std::string_view input) {
  // A byte may be a letter of a piece that is cut at each of its letters, and of two maps and a
  // trie.
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 18, .factor = 1000}, [&] {
    const auto tokenizer =
        data::PretrainedTokenizer::parse(data::tokenizers::from_sentencepiece(input, "f"), "f");
    const data::TokenizedText text = tokenizer.encode(" ab \xC3\xBC  b");
    for (const auto& [begin, end] : text.offsets)
      require(begin <= end && end <= 9, "tokens lie in the text");
    tokenizer.decode(text.ids);
  });
  if (accepted) require(!input.empty(), "there are pieces");
}

}  // namespace heed::fuzz
