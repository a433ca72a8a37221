#include "iob.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "../core/error.h"
#include "../core/quoted.h"
#include "text_file.h"
#include "tsv_columns.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr std::string_view kTags = "BIO";

bool goes_on(std::string_view tag, std::string_view last) {
  return last != "O" && last.substr(1) == tag.substr(1);
}

class Reader {
 public:
  Reader(const std::string& path, std::size_t columns) : file_(path), columns_(columns) {}

  std::vector<TaggedSentence> read() {
    std::string line;
    while (file_.next(line)) {
      if (line.empty()) {
        within_ = false;
      } else {
        take(line);
      }
    }
    if (sentences_.empty()) fail_at(file_.line() + 1, "the file has no sentence");
    return std::move(sentences_);
  }

 private:
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& what) const {
    throw FormatError::at_line(file_.path(), line, "iob: " + what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(file_.line(), what); }

  void take(std::string_view line) {
    if (!is_valid_utf8(line)) fail("is not UTF-8");
    const bool control = std::any_of(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
    });
    if (control) fail("has a control character");
    const std::vector<std::string_view> columns = split_columns(line);
    if (columns.size() != columns_ + 1) {
      fail(fmt::format("{} columns, but a word and {} tags are wanted", columns.size(), columns_));
    }
    if (columns[0].empty()) fail("no word");
    if (!within_) {
      sentences_.push_back({{}, decltype(TaggedSentence::tags)(columns_), file_.line()});
    }
    TaggedSentence& sentence = sentences_.back();
    if (static_cast<Index>(sentence.words.size()) == kLongestTagged) {
      fail(fmt::format("a sentence of more than {} words", kLongestTagged));
    }
    within_ = true;
    for (std::size_t i = 0; i < columns_; ++i) {
      const std::string tag(columns[i + 1]);
      if (!is_iob_tag(tag)) fail(in_quotes(tag) + " is no tag: B, I or O");
      std::vector<std::string>& tags = sentence.tags[i];
      if (tag[0] == 'I' && (tags.empty() || !goes_on(tag, tags.back()))) {
        fail(in_quotes(tag) + " goes on with no span");
      }
      tags.push_back(tag);
    }
    sentence.words.emplace_back(columns[0]);
  }

  TextFile file_;
  std::size_t columns_;
  bool within_ = false;  // a sentence
  std::vector<TaggedSentence> sentences_;
};

}  // namespace

bool is_iob_tag(const std::string& tag) {
  if (tag == "O") return true;
  if (tag.empty() || (tag[0] != 'B' && tag[0] != 'I')) return false;
  return tag.size() == 1 || (tag.size() > 2 && tag[1] == '-');
}

std::vector<TaggedSentence> read_iob(const std::string& path, Index columns) {
  if (columns <= 0) {
    throw ValueError(fmt::format("iob: {} columns of tags must be positive", columns));
  }
  return Reader(path, static_cast<std::size_t>(columns)).read();
}

std::vector<Index> iob_labels(const std::vector<std::string>& tags) {
  std::vector<Index> out;
  for (const std::string& tag : tags) {
    if (!is_iob_tag(tag)) throw ValueError("iob: " + in_quotes(tag) + " is no tag: B, I or O");
    out.push_back(static_cast<Index>(kTags.find(tag[0])));
  }
  return out;
}

std::vector<std::string> iob_tags(const std::vector<Index>& labels) {
  std::vector<std::string> out;
  for (const Index label : labels) {
    if (label < 0 || label >= kIobLabels) throw ValueError(fmt::format("iob: no label {}", label));
    out.emplace_back(1, kTags[static_cast<std::size_t>(label)]);
  }
  return out;
}

}  // namespace heed::data
