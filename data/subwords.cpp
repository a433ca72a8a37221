#include "subwords.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "../core/error.h"
#include "utf8.h"
#include "words.h"

#ifdef HEED_SENTENCEPIECE
#include <sentencepiece_processor.h>
#include "texts-inl.h"
#endif

namespace heed::data {

#ifdef HEED_SENTENCEPIECE
namespace {

namespace sp = sentencepiece;

constexpr std::string_view kBlank = "\u2581";
// What training leaves out: texts with this character, U+2585, and above 4192 bytes.
constexpr std::string_view kReserved = "\u2585";
constexpr std::size_t kLongestText = 4000;

// The words of a line with a blank between them.
std::string plain(std::string_view line) {
  std::string text(line);
  for (auto at = text.find(kBlank); at != std::string::npos; at = text.find(kBlank, at)) {
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), kBlank.size(), ' ');
  }
  return joined(words_of(text));
}

// sentencepiece's ModelProto (sentencepiece_model.proto) of these subwords. Writing it here, rather
// than keeping the one that training makes, means that its reader sees no bytes from outside.
std::string model_of(const Vocabulary& vocabulary) {
  enum Type : char { normal = 1, unknown = 2, control = 3 };
  std::string model;
  const auto varint = [](std::string& to, std::size_t value) {
    for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
    to += static_cast<char>(value);
  };
  for (Index id = 0; id < vocabulary.size(); ++id) {
    std::string piece = "\x0a";  // field 1: the piece
    varint(piece, vocabulary.word(id).size());
    piece += vocabulary.word(id);
    piece += '\x15';  // field 2, four bytes: its score; what was merged earlier is merged first
    const auto score = std::bit_cast<std::uint32_t>(-static_cast<float>(id));
    for (int shift = 0; shift < 32; shift += 8) piece += static_cast<char>(score >> shift);
    piece += '\x18';  // field 3: its type
    piece += static_cast<char>(id == kUnknown ? unknown : id <= kEnd ? control : normal);
    model += '\x0a';  // field 1: a piece
    varint(model, piece.size());
    model += piece;
  }
  return model + "\x12\x02\x18\x02";  // field 2: how it was trained, of which field 3: by BPE
}

void check(const sp::util::Status& status) {
  if (!status.ok()) throw ValueError(fmt::format("subwords: {}", status.message()));
}

class Subwords : public Coder {
 public:
  explicit Subwords(Vocabulary entries) : Coder(kSubwords, std::move(entries)) {
    check(processor_.LoadFromSerializedProto(model_of(vocabulary())));
  }

  std::vector<Index> encode(std::string_view line) const override {
    const std::vector<int> ids = coded<int>(line);
    return {ids.begin(), ids.end()};
  }
  std::vector<std::string> parts(std::string_view line) const override {
    return coded<std::string>(line);
  }
  std::string join(const std::vector<std::string>& parts) const override {
    std::string line;
    for (const std::string& part : parts) line += part;
    return plain(line);
  }

 private:
  template <class T>
  std::vector<T> coded(std::string_view line) const {
    std::vector<T> out;
    check(processor_.Encode(plain(line), &out));
    return out;
  }

  sp::SentencePieceProcessor processor_;
};

}  // namespace

bool has_subwords() { return true; }

std::unique_ptr<Coder> make_subwords(Vocabulary vocabulary) {
  return std::make_unique<Subwords>(std::move(vocabulary));
}

std::unique_ptr<Coder> learn_subwords(const std::vector<const std::string*>& lines, Index count) {
  // Nothing is merged over blanks, so where lines end does not matter.
  std::vector<std::string> texts;
  std::set<char32_t> characters = {U' '};
  for (const std::string* line : lines) {
    const std::string text = plain(*line);
    for (const std::string& word : words_of(text)) {
      if (word.find(kReserved) != std::string::npos) continue;
      if (texts.empty() || texts.back().size() + word.size() > kLongestText) texts.emplace_back();
      texts.back() += word + ' ';
    }
    for (std::size_t at = 0; at < text.size();) {
      const auto decoded = decode_utf8(text, at);
      characters.insert(decoded.code);
      at += decoded.length;
    }
  }
  const auto fewest = static_cast<Index>(std::size(kMarks) + characters.size());
  if (count < fewest) {
    throw ValueError(
        fmt::format("learn_coder: {} subwords are too few: the marks and the text's "
                    "different characters are {}",
                    count, fewest));
  }
  detail::Texts iterator(texts);
  std::string model;
  check(sp::SentencePieceTrainer::Train({{"model_type", "bpe"},
                                         {"vocab_size", fmt::to_string(count)},
                                         {"hard_vocab_limit", "false"},
                                         {"character_coverage", "1"},
                                         {"normalization_rule_name", "identity"},
                                         {"pad_id", fmt::to_string(kPadding)},
                                         {"unk_id", fmt::to_string(kUnknown)},
                                         {"bos_id", fmt::to_string(kBegin)},
                                         {"eos_id", fmt::to_string(kEnd)},
                                         {"num_threads", "1"},
                                         {"minloglevel", "2"}},
                                        &iterator, &model));
  sp::SentencePieceProcessor processor;
  check(processor.LoadFromSerializedProto(model));
  std::vector<std::string> pieces;
  for (int id = kBegin; id < processor.GetPieceSize(); ++id) {
    pieces.push_back(processor.IdToPiece(id));
  }
  return make_subwords(Vocabulary(pieces));
}

#else

namespace {

[[noreturn]] void throw_without() {
  throw ValueError("subwords: this program was built without sentencepiece");
}

}  // namespace

bool has_subwords() { return false; }

std::unique_ptr<Coder> make_subwords(Vocabulary) { throw_without(); }

std::unique_ptr<Coder> learn_subwords(const std::vector<const std::string*>&, Index) {
  throw_without();
}

#endif

std::unique_ptr<Coder> learn_coder(const std::vector<const std::string*>& lines,
                                   const CoderOptions& options) {
  constexpr Index kMost = 1 << 24;  // floats count the merges
  if (options.subwords < 0 || options.subwords > kMost) {
    throw ValueError(
        fmt::format("learn_coder: {} subwords: must be in [0, {}]", options.subwords, kMost));
  }
  if (options.min_count < 0 || options.max_words < 0) {
    throw ValueError(fmt::format("learn_coder: min_count {} and max_words {} must not be negative",
                                 options.min_count, options.max_words));
  }
  const auto blank = [](const std::string* line) { return words_of(*line).empty(); };
  if (std::all_of(lines.begin(), lines.end(), blank)) {
    throw ValueError("learn_coder: the text has no words");
  }
  if (options.subwords > 0) return learn_subwords(lines, options.subwords);
  return std::make_unique<Words>(
      learn_words(lines, {.min_count = options.min_count, .max_words = options.max_words}));
}

std::unique_ptr<Coder> parse_coder(const std::string& content, const std::string& path) {
  const std::size_t end = std::min(content.find('\n'), content.size());
  const std::string_view kind = std::string_view(content).substr(0, end);
  if (kind != Words::kName && kind != kSubwords) {
    throw FormatError::at_line(path, 1,
                               fmt::format("must be \"{}\" or \"{}\"", Words::kName, kSubwords));
  }
  auto vocabulary = Vocabulary::parse(std::string(kMarks[kPadding]) + content.substr(end), path);
  for (Index id = kBegin; id <= kEnd; ++id) {
    const std::string_view mark = kMarks[id];
    if (id >= vocabulary.size() || vocabulary.word(id) != mark) {
      throw FormatError::at_line(path, static_cast<std::uint64_t>(id) + 1,
                                 fmt::format("must be {}", mark));
    }
  }
  for (Index id = kEnd + 1; id < vocabulary.size(); ++id) {
    if (words_of(vocabulary.word(id)) != std::vector<std::string>{vocabulary.word(id)}) {
      throw FormatError::at_line(path, static_cast<std::uint64_t>(id) + 1,
                                 "a word with a blank in it");
    }
  }
  try {
    if (kind == kSubwords) return make_subwords(std::move(vocabulary));
  } catch (const ValueError& error) {
    throw FormatError(path, 0, error.what());
  }
  return std::make_unique<Words>(std::move(vocabulary));
}

}  // namespace heed::data
