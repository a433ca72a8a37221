#include "articles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <numeric>

#include "../core/error.h"
#include "folder_parts.h"
#include "json_lines.h"
#include "sentences.h"
#include "tokenizer.h"

namespace heed::data {
namespace {

std::string file_in(const std::string& path) {
  if (!is_folder(path)) return path;
  for (const char* name : {"bbc.jsonl", "bbc.jsonl.gz"}) {
    const std::string file = (std::filesystem::path(path) / name).string();
    if (is_there(file)) return file;
  }
  throw IoError(path, "open bbc.jsonl or bbc.jsonl.gz", ENOENT);
}

// Letters and digits of ASCII in lower case, and all bytes beyond it.
std::string letters_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               static_cast<signed char>(c) < 0) {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> words_of_sentence(std::string_view text) {
  std::vector<std::string> out = tokenize(text);
  if (out.size() > kLongestSentence) out.resize(kLongestSentence);
  return out;
}

}  // namespace

std::vector<std::string> Article::first_words(std::size_t most) const {
  std::vector<std::string> out;
  for (const auto& sentence : words) {
    for (const std::string& word : sentence) {
      if (out.size() < most) out.push_back(word);
    }
  }
  return out;
}

std::vector<std::string> Article::chosen(std::vector<Index> places) const {
  std::sort(places.begin(), places.end());
  std::vector<std::string> out;
  for (const Index place : places) {
    if (place < 0 || place >= length()) {
      throw IndexError(fmt::format("article: no sentence {} of {}", place, length()));
    }
    out.push_back(sentences[static_cast<std::size_t>(place)]);
  }
  return out;
}

void count_words(const Article& article, WordCounts& counts) {
  for (const std::string& word : article.title) ++counts[word];
  for (const auto& sentence : article.words) {
    for (const std::string& word : sentence) ++counts[word];
  }
}

std::vector<Index> word_times(const Article& article) {
  WordCounts counts;
  count_words({article.sentences, article.words}, counts);
  std::vector<Index> out;
  for (const auto& sentence : article.words) {
    for (const std::string& word : sentence) out.push_back(counts[word]);
  }
  return out;
}

Article read_article(std::string_view text) {
  Article out;
  for (const std::string_view sentence : split_sentences(text)) {
    std::vector<std::string> words = words_of_sentence(sentence);
    if (words.empty()) continue;
    out.sentences.emplace_back(sentence);
    out.words.push_back(std::move(words));
  }
  if (out.words.empty()) throw ValueError("the text has no words");
  return out;
}

std::vector<Article> read_articles(const std::string& path) {
  const std::string file = file_in(path);
  // Three readers side by side, each of its field.
  JsonLinesReader titles(file, "", "title"), texts(file, "", "paragraphs");
  JsonLinesReader summaries(file, "", "summary");
  std::vector<Article> out;
  for (LabelledText title, text, summary; titles.next(title);) {
    texts.next(text);
    summaries.next(summary);
    try {
      Article& article = out.emplace_back(read_article(text.text));
      article.title = words_of_sentence(title.text);
      if (article.title.empty()) throw ValueError("the title has no words");
      article.summary = extracted_sentences(article.sentences, summary.text);
      if (article.summary.empty()) throw ValueError("the summary has none of the text's sentences");
    } catch (const ValueError& error) {
      throw FormatError::at_line(file, title.line, error.message());
    }
  }
  return out;
}

std::vector<Index> extracted_sentences(const std::vector<std::string>& sentences,
                                       const std::string& summary) {
  std::string left = letters_of(summary);
  if (sentences.size() > kMostSentences || left.size() > kLongestSummary) {
    throw ValueError(
        fmt::format("a text of {} sentences and a summary of {} letters: {} and {} at most",
                    sentences.size(), left.size(), kMostSentences, kLongestSummary));
  }
  std::vector<std::string> letters;
  letters.reserve(sentences.size());
  for (const std::string& each : sentences) letters.push_back(letters_of(each));
  std::vector<std::size_t> order(letters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return letters[a].size() > letters[b].size();
  });
  std::map<std::size_t, Index> found;  // by where it begins
  for (const std::size_t each : order) {
    if (letters[each].empty()) continue;
    const std::size_t at = left.find(letters[each]);
    if (at == std::string::npos) continue;
    found[at] = static_cast<Index>(each);
    left.replace(at, letters[each].size(), letters[each].size(), '\n');
  }
  std::vector<Index> out;
  out.reserve(found.size());
  for (const auto& [at, sentence] : found) out.push_back(sentence);
  return out;
}

}  // namespace heed::data
