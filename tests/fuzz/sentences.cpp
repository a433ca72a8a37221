#include "../../data/sentences.h"

#include "../../data/document.h"
#include "../../data/tokenizer.h"
#include "../../data/utf8.h"
#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void sentences(std::string_view input) {
  std::string tokens;
  const char* end = input.data();
  for (const std::string_view sentence : data::split_sentences(input)) {
    require(!sentence.empty() && sentence.data() >= end, "sentences come one after another");
    end = sentence.data() + sentence.size();
    require(end <= input.data() + input.size(), "sentences lie in the text");
    require(!data::is_blank(sentence), "no sentence is blank");
    for (const std::string& token : data::tokenize(sentence)) tokens += token;
  }
  // An apostrophe after a full-width stop closes that sentence, where it would begin a word.
  std::string all;
  bool shortened = false;
  for (const std::string& token : data::tokenize(input)) {
    all += token;
    shortened = shortened || token.size() >= data::kLongestWord;
  }
  require(shortened || tokens == all, "sentences hold all words of the text");

  const data::DocumentLimits limits = {.sentences = 3, .words = 5};
  const data::Document document = data::make_document(input, limits);
  const auto places = data::document_tokens(input, limits);
  require(document.sentences.size() == places.size() && places.size() <= 3, "limits hold");
  for (std::size_t i = 0; i < places.size(); ++i) {
    require(!places[i].empty() && places[i].size() <= 5, "limits hold");
    require(document.sentences[i].size() == places[i].size(), "each word has a place");
    for (std::size_t k = 0; k < places[i].size(); ++k) {
      require(document.sentences[i][k] == places[i][k].text, "each word has a place");
    }
  }
}

}  // namespace heed::fuzz
