#include "fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::io {

void Fields::choice(const std::string& name, std::string& value,
                    const std::vector<std::string>& words, const std::string& help) {
  word(name, {words, [&value] { return value; }, [&value](const std::string& to) { value = to; }},
       help);
}

namespace detail {
namespace {

bool among(const std::string& text, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string listed(const std::vector<std::string>& words) {
  return quoted_list({words.begin(), words.end()});
}

void check_range(const std::string& name, auto value, auto least, auto most) {
  if (!(value >= least && value <= most)) {
    throw ValueError(fmt::format("{} {} must be in [{}, {}]", name, value, least, most));
  }
}

}  // namespace

void FieldWriter::size(const std::string& name, Index& value, Index, Index, const std::string&) {
  config_.set(name, value);
}
void FieldWriter::number(const std::string& name, double& value, double, double,
                         const std::string&) {
  config_.set(name, value);
}
void FieldWriter::flag(const std::string& name, bool& value, const std::string&) {
  config_.set(name, value);
}
void FieldWriter::text(const std::string& name, std::string& value, const std::string&) {
  config_.set(name, value);
}
void FieldWriter::word(const std::string& name, const Word& word, const std::string& help) {
  FieldCheck().word(name, word, help);
  config_.set(name, word.get());
}

void FieldReader::size(const std::string& name, Index& value, Index least, Index most,
                       const std::string&) {
  if (!skips(name)) value = config_.get_int(name, least, most);
}
void FieldReader::number(const std::string& name, double& value, double least, double most,
                         const std::string&) {
  if (!skips(name)) value = config_.get_double(name, least, most);
}
void FieldReader::flag(const std::string& name, bool& value, const std::string&) {
  if (!skips(name)) value = config_.get_bool(name);
}
void FieldReader::text(const std::string& name, std::string& value, const std::string&) {
  if (!skips(name)) value = config_.get_string(name);
}
void FieldReader::word(const std::string& name, const Word& word, const std::string&) {
  if (skips(name)) return;
  const std::string& text = config_.get_string(name);
  if (!among(text, word.words)) {
    config_.refuse(name, fmt::format("{} is none of {}", in_quotes(text), listed(word.words)));
  }
  word.set(text);
}

void FieldCheck::size(const std::string& name, Index& value, Index least, Index most,
                      const std::string&) {
  check_range(name, value, least, most);
}
void FieldCheck::number(const std::string& name, double& value, double least, double most,
                        const std::string&) {
  check_range(name, value, least, most);
}
void FieldCheck::word(const std::string& name, const Word& word, const std::string&) {
  if (const std::string text = word.get(); !among(text, word.words)) {
    throw ValueError(fmt::format("{} {} is none of {}", name, in_quotes(text), listed(word.words)));
  }
}

}  // namespace detail
}  // namespace heed::io
