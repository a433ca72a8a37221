// The file of a coder, a zero byte, and a line to encode.
#include "../../data/subwords.h"

#include <algorithm>

#include "../../data/words.h"
#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void coder(std::string_view input) {
  const std::size_t zero = std::min(input.find('\0'), input.size());
  const std::string content(input.substr(0, zero));
  const std::string_view line = input.substr(std::min(zero + 1, input.size()));
  std::unique_ptr<data::Coder> read;
  // sentencepiece keeps a trie, with a table of fixed size besides.
  const bool accepted = accepts({"f"}, content.size(), {.fixed = 1 << 20, .factor = 2000},
                                [&] { read = data::parse_coder(content, "f"); });
  if (!accepted) return;
  require(read->serialize() == content, "a coder is written as it was");
  const std::vector<Index> ids = read->encode(line);
  const std::vector<std::string> parts = read->parts(line);
  require(ids.size() == parts.size(), "each part has a number");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    require(ids[i] >= 0 && ids[i] < read->size(), "numbers are in range");
    const bool mark = ids[i] == data::kPadding || ids[i] == data::kBegin ||
                      ids[i] == data::kEnd;
    require(!mark, "no text is a mark");
    require(ids[i] == data::kUnknown || read->part(ids[i]) == parts[i],
            "a known part is its number's");
  }
  read->decode(ids);
  if (content.starts_with("words")) {
    require(read->join(parts) == data::joined(data::words_of(line)),
            "the parts join into the line");
  }
}

}  // namespace heed::fuzz
