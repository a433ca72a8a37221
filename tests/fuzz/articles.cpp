#include "../../data/articles.h"

#include <set>

#include "../../data/utf8.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

void require_words(const std::vector<std::string>& words) {
  require(!words.empty() && words.size() <= data::kLongestSentence, "words are some, and not many");
  for (const std::string& word : words) {
    require(!word.empty() && data::is_valid_utf8(word), "words are texts");
  }
}

}  // namespace

void articles(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  std::vector<data::Article> read;
  const bool accepted =
      accepts({path}, input.size(), {.fixed = buffers(input), .factor = 400 * unpacked(input)},
              [&] { read = data::read_articles(path); });
  if (!accepted) return;
  require(!read.empty(), "a file has articles");
  for (const data::Article& article : read) {
    require_words(article.title);
    require(article.words.size() == article.sentences.size(), "sentences have words");
    for (const auto& words : article.words) require_words(words);
    for (const std::string& sentence : article.sentences) {
      require(data::is_valid_utf8(sentence) && !data::is_blank(sentence), "sentences are texts");
    }
    const std::set<Index> summary(article.summary.begin(), article.summary.end());
    require(!summary.empty() && summary.size() == article.summary.size(), "no sentence is twice");
    require(*summary.begin() >= 0 && *summary.rbegin() < article.length(), "summaries are of it");
  }
}

}  // namespace heed::fuzz
