#include "../../data/sick.h"

#include <fmt/format.h>

#include "../../data/utf8.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

using data::Relation;
using data::SentencePair;

constexpr const char* kLabels[] = {"ENTAILMENT", "NEUTRAL", "CONTRADICTION"};
constexpr const char* kBack[] = {"B_entails_A", "B_neutral_A", "B_contradicts_A"};

// The set as lines of a table.
std::string lines_of(const std::vector<SentencePair>& pairs, const char* part) {
  std::string out;
  std::uint64_t line = 0;
  for (const SentencePair& pair : pairs) {
    require(pair.line > line, "pairs come in order");
    line = pair.line;
    for (const std::string& sentence : {pair.premise, pair.hypothesis}) {
      require(data::is_valid_utf8(sentence) && !data::is_blank(sentence), "sentences are texts");
    }
    const bool both = pair.back == Relation::contradiction;
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", pair.premise, pair.hypothesis,
                       kLabels[static_cast<int>(pair.relation)],
                       both ? "A_contradicts_B" : "A_neutral_B", kBack[static_cast<int>(pair.back)],
                       part);
  }
  return out;
}

bool equal(const std::vector<SentencePair>& a, const std::vector<SentencePair>& b) {
  bool out = a.size() == b.size();
  for (std::size_t i = 0; out && i < a.size(); ++i) {
    out = a[i].premise == b[i].premise && a[i].hypothesis == b[i].hypothesis &&
          a[i].relation == b[i].relation && a[i].back == b[i].back;
  }
  return out;
}

}  // namespace

void sick(std::string_view input) {
  static InputFile file, copy;
  const std::string& path = file.write(input);
  data::Sick read;
  const bool accepted =
      accepts({path}, input.size(), {.fixed = buffers(input), .factor = 100 * unpacked(input)},
              [&] { read = data::read_sick(path); });
  if (!accepted) return;
  const std::string& written = copy.write(
      "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n" +
      lines_of(read.train, "TRAIN") + lines_of(read.trial, "TRIAL") + lines_of(read.test, "TEST"));
  const data::Sick again = data::read_sick(written);
  require(equal(again.train, read.train) && equal(again.trial, read.trial) &&
              equal(again.test, read.test),
          "pairs read back equal");
}

}  // namespace heed::fuzz
