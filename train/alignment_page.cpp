#include "alignment.h"

#include <fmt/format.h>

#include "alignment_script.h"
#include "drawn_alignment.h"
#include "page_data.h"

namespace heed::train {
namespace {

constexpr const char* kNote =
    "How much each target word, a row, looks at each source word, a column. Shades go up to the "
    "largest weight of a matrix.";

void append_sentence(std::string& out, const AlignedSentence& sentence) {
  out += "{\"source\":";
  append_words(out, sentence.source);
  out += ",\"target\":";
  append_words(out, sentence.target);
  out += ",\"matrices\":[";
  for (const NamedMatrix& matrix : sentence.matrices) {
    const std::vector<double> weights = drawn_weights(
        "alignment_page", matrix.weights, sentence.target.size(), sentence.source.size());
    if (out.back() != '[') out += ',';
    out += "{\"name\":";
    append_string(out, matrix.name);
    out += ",\"weights\":";
    append_weights(out, weights);
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string alignment_page(const std::string& title,
                           const std::vector<AlignedSentence>& sentences) {
  std::string data = "[", articles;
  for (const AlignedSentence& sentence : sentences) {
    if (data.back() != '[') data += ",\n";
    append_sentence(data, sentence);
    articles += fmt::format(
        "<article class=\"card\"><header><b>{}</b><span class=\"soft\">{} → {} words</span>"
        "</header></article>\n",
        &sentence - sentences.data() + 1, sentence.source.size(), sentence.target.size());
  }
  return drawn_page(title, kAlignmentStyle, kNote, articles, data + "]", kAlignmentScript);
}

}  // namespace heed::train
