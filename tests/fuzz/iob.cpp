// The first byte chooses how many columns of tags there are.
#include "../../data/iob.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

std::string written(const std::vector<data::TaggedSentence>& sentences) {
  std::string out = "\n";  // a byte order mark that begins a word must not begin the file
  for (const data::TaggedSentence& sentence : sentences) {
    for (std::size_t i = 0; i < sentence.words.size(); ++i) {
      out += sentence.words[i];
      for (const auto& tags : sentence.tags) out += '\t' + tags[i];
      out += '\n';
    }
    out += '\n';
  }
  return out;
}

}  // namespace

void iob(std::string_view input) {
  static InputFile file, copy;
  if (input.empty()) return;
  const Index columns = 1 + static_cast<unsigned char>(input[0]) % 3;
  const std::string_view content = input.substr(1);
  const std::string& path = file.write(content);
  std::vector<data::TaggedSentence> read;
  // A sentence of one letter has a vector of tags for each column.
  const bool accepted =
      accepts({path}, input.size(), {.fixed = buffers(content), .factor = 400 * unpacked(content)},
              [&] { read = data::read_iob(path, columns); });
  if (!accepted) return;
  std::uint64_t line = 0;
  for (const data::TaggedSentence& sentence : read) {
    require(sentence.line > line, "sentences stand one behind the other");
    line = sentence.line;
    require(!sentence.words.empty(), "a sentence has words");
    require(sentence.tags.size() == static_cast<std::size_t>(columns), "all columns are read");
    for (const auto& tags : sentence.tags) {
      require(tags.size() == sentence.words.size(), "a word has a tag of each column");
      require(data::iob_labels(tags).size() == tags.size(), "tags have labels");
    }
  }
  const std::string text = written(read);
  require(written(data::read_iob(copy.write(text), columns)) == text, "sentences read back equal");
}

}  // namespace heed::fuzz
