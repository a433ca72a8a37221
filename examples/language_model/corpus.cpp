#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/text_file.h"
#include "../../data/utf8.h"
#include "grammar.h"

namespace language_model {

using heed::FormatError;
using heed::Generator;
using heed::ValueError;
namespace data = heed::data;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLineEnd = "<eos>";
constexpr const char* kUnknown = "<unk>";  // which texts may hold themselves
// Streams of the seed: the same text whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kValidationStream = 0x7e57;

std::string read_text(const std::string& path) {
  data::TextFile file(path);
  std::string out, line;
  while (file.next(line)) {
    std::replace(line.begin(), line.end(), '\r', ' ');
    out += data::repair_utf8(line);
    out += '\n';
  }
  return out;
}

// Whether a part of the file's name, between dots and the like, begins so.
bool is_for(const std::string& name, const std::string& part) {
  for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part, at + 1)) {
    if (at == 0 || std::string_view("._-").find(name[at - 1]) != std::string_view::npos)
      return true;
  }
  return false;
}

Corpus read_folder(const std::string& path) {
  Corpus out{};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    const std::string name = fs::path(file).filename().string();
    if (is_for(name, "train")) out.train += read_text(file);
    if (is_for(name, "valid") || is_for(name, "dev")) out.validation += read_text(file);
    if (is_for(name, "test")) out.test += read_text(file);
  }
  if (out.train.empty() || out.validation.empty()) {
    throw FormatError(path, 0, "the folder lacks a file named train or one named valid, with text");
  }
  return out;
}

Corpus read_file(const std::string& path, Level level) {
  Corpus out{};
  out.train = read_text(path);
  const auto tokens = tokens_of(out.train, level);
  if (tokens.size() < 20) {
    throw FormatError(path, 0, fmt::format("{} tokens are too few to learn from", tokens.size()));
  }
  const auto cut =
      static_cast<std::size_t>(tokens[tokens.size() / 10 * 9].data() - out.train.data());
  out.validation = out.train.substr(cut);
  out.train.resize(cut);
  return out;
}

Corpus generated(const CorpusOptions& options) {
  if (options.sentences < 10) {
    throw ValueError(fmt::format("sentences: {} must be 10 or more", options.sentences));
  }
  Generator train(options.seed * 0x10001 + kTrainStream);
  Generator validation(options.seed * 0x10001 + kValidationStream);
  Corpus out{};
  out.train = generate_text(options.sentences, train).text;
  GeneratedText text = generate_text(options.sentences / 10, validation);
  out.validation = std::move(text.text);
  out.validation_nats = text.nats;
  return out;
}

std::string_view name_of(std::string_view token) { return token == "\n" ? kLineEnd : token; }

}  // namespace

Level level_of(const std::string& name) {
  if (name == "char") return Level::characters;
  if (name == "word") return Level::words;
  throw ValueError("level: '" + name + "' is none of char, word");
}

const char* name(Level level) { return level == Level::characters ? "char" : "word"; }

Corpus load_corpus(const CorpusOptions& options, Level level) {
  if (options.path.empty()) return generated(options);
  Corpus out =
      fs::is_directory(options.path) ? read_folder(options.path) : read_file(options.path, level);
  out.validation_nats = std::numeric_limits<double>::quiet_NaN();
  return out;
}

std::vector<std::string_view> tokens_of(std::string_view text, Level level) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t length = 1;
    if (level == Level::characters) {
      length = data::decode_utf8(text, at).length;
    } else if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    } else if (text[at] != '\n') {
      length = std::min(text.find_first_of(" \t\n", at), text.size()) - at;
    }
    out.push_back(text.substr(at, length));
    at += length;
  }
  return out;
}

data::Vocabulary vocabulary_of(std::string_view text, Level level, Index max_words) {
  data::WordCounts counts;
  for (const std::string_view token : tokens_of(text, level)) {
    ++counts[std::string(name_of(token))];
  }
  counts.erase(kUnknown);
  counts.erase("<pad>");
  return data::Vocabulary::from_counts(counts, {.max_words = max_words});
}

std::vector<Index> encode(std::string_view text, Level level, const data::Vocabulary& vocabulary) {
  std::vector<Index> out;
  for (const std::string_view token : tokens_of(text, level)) {
    out.push_back(vocabulary.id(name_of(token)));
  }
  return out;
}

std::string decode(const std::vector<Index>& ids, Level level, const data::Vocabulary& vocabulary) {
  std::string out;
  for (const Index id : ids) {
    const std::string& token = vocabulary.word(id);
    if (token == kLineEnd) {
      out += '\n';
      continue;
    }
    if (level == Level::words && !out.empty() && out.back() != '\n') out += ' ';
    out += token;
  }
  return out;
}

}  // namespace language_model
