#include "word_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../core/quoted.h"
#include "text_file.h"
#include "utf8.h"

namespace heed::data {
namespace {

// Row 0, of the padding.
void clear_padding(Array& rows) { std::fill_n(rows.mutable_data<float>(), rows.size(1), 0.0F); }

std::vector<std::string_view> parts_of(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (blank > 0) out.push_back(line.substr(0, blank));
    line.remove_prefix(std::min(line.size(), blank + 1));
  }
  return out;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {}

  WordVectors read() {
    std::string line;
    for (bool first = true; file_.next(line); first = false) {
      if (!is_valid_utf8(line)) fail("is not UTF-8");
      if (std::any_of(line.begin(), line.end(), is_control)) fail("has a control character");
      const std::vector<std::string_view> parts = parts_of(line);
      if (!first || !heads(parts)) take(parts);
    }
    if (words_.empty() && unknown_.empty()) fail_at(file_.line() + 1, "the file has no word");
    if (promised_ > 0 && promised_ != seen_.size()) {
      fail(fmt::format("{} words, but the first line says {}", seen_.size(), promised_));
    }
    const auto width = static_cast<Index>(width_);
    WordVectors out{Vocabulary(words_),
                    Array::zeros({static_cast<Index>(words_.size()) + 2, width}, DType::f32)};
    float* rows = out.rows.mutable_data<float>();
    std::copy(unknown_.begin(), unknown_.end(), rows + width);
    std::copy(numbers_.begin(), numbers_.end(), rows + 2 * width);
    return out;
  }

 private:
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& what) const {
    throw FormatError::at_line(file_.path(), line, "word vectors: " + what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(file_.line(), what); }

  // "WORDS WIDTH".
  bool heads(const std::vector<std::string_view>& parts) {
    if (parts.size() != 2) return false;
    const auto words = number_in<std::size_t>(parts[0]).value_or(0);
    const auto width = number_in<std::size_t>(parts[1]).value_or(0);
    if (words == 0 || width == 0) return false;
    promised_ = words;
    width_ = width;
    return true;
  }

  void take(const std::vector<std::string_view>& parts) {
    if (parts.size() < 2) fail("a line must be a word and its numbers");
    if (width_ == 0) width_ = parts.size() - 1;
    if (parts.size() - 1 != width_) {
      fail(fmt::format("{} numbers, but {} are wanted", parts.size() - 1, width_));
    }
    const std::string word(parts[0]);
    if (word == "<pad>") fail("<pad> has no vector");
    if (!seen_.insert(word).second) fail(in_quotes(word) + " comes twice");
    std::vector<float>& to = word == "<unk>" ? unknown_ : numbers_;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto number = number_in<float>(parts[i]);
      if (!number || !std::isfinite(*number)) fail(in_quotes(parts[i]) + " is no finite number");
      to.push_back(*number);
    }
    if (word != "<unk>") words_.push_back(word);
  }

  TextFile file_;
  std::size_t promised_ = 0, width_ = 0;
  std::vector<std::string> words_;
  std::unordered_set<std::string> seen_;
  std::vector<float> numbers_, unknown_;
};

}  // namespace

WordVectors learn_word_vectors(const std::vector<std::vector<std::string>>& texts, Index min_count,
                               const SkipGramOptions& options, Generator& generator) {
  WordCounts counts;
  for (const std::vector<std::string>& text : texts) {
    for (const std::string& word : text) ++counts[word];
  }
  counts.erase("<pad>");
  counts.erase("<unk>");
  WordVectors out{Vocabulary::from_counts(counts, {.min_count = min_count}), {}};
  std::vector<std::vector<Index>> ids;
  ids.reserve(texts.size());
  for (const std::vector<std::string>& text : texts) ids.push_back(out.vocabulary.ids(text));
  out.rows = skip_gram(ids, out.vocabulary.size(), options, generator);
  clear_padding(out.rows);
  return out;
}

std::string to_text(const WordVectors& vectors) {
  const Index count = vectors.rows.size(0), width = vectors.rows.size(1);
  std::string out = fmt::format("{} {}\n", count - 1, width);
  const std::vector<float> numbers = vectors.rows.to_vector<float>();
  for (Index i = 1; i < count; ++i) {
    const std::string& word = vectors.vocabulary.word(i);
    if (word.find(' ') != std::string::npos || std::any_of(word.begin(), word.end(), is_control)) {
      throw ValueError("word vectors: " + in_quotes(word) + " has a blank or a control character");
    }
    out += word;
    for (Index k = 0; k < width; ++k) {
      out += fmt::format(" {}", numbers[static_cast<std::size_t>(i * width + k)]);
    }
    out += '\n';
  }
  return out;
}

Index copy_known(const WordVectors& vectors, const Vocabulary& vocabulary, Array& table) {
  const Index width = vectors.rows.size(1);
  if (table.shape() != Shape{vocabulary.size(), width}) {
    throw ShapeError(fmt::format("word vectors: of width {} for a table {} of {} words", width,
                                 describe(table), vocabulary.size()));
  }
  const float* from = vectors.rows.data<float>();
  float* to = table.mutable_data<float>();
  Index known = 0;
  for (Index i = Vocabulary::kUnknown + 1; i < vocabulary.size(); ++i) {
    if (!vectors.vocabulary.contains(vocabulary.word(i))) continue;
    const Index row = vectors.vocabulary.id(vocabulary.word(i));
    std::copy_n(from + row * width, width, to + i * width);
    ++known;
  }
  return known;
}

WordVectors read_word_vectors(const std::string& path) { return Reader(path).read(); }

}  // namespace heed::data
