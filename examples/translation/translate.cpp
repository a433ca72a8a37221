#include "translate.h"

#include <algorithm>
#include <limits>

#include "../../autograd/grad_mode.h"
#include "batches.h"
#include "longest.h"

namespace translation {
namespace {

using nn::BeamSearchOptions;
using nn::Hypothesis;

// The source's part that step t looked at most; the end mark, which stands behind, is none.
Index most_looked_at(const Array& weights, Index t, Index parts) {
  const Index K = weights.size(1);
  const auto all = weights.to(DType::f64).to_vector<double>();
  const auto row = all.begin() + t * K;
  return std::max_element(row, row + std::min(parts, K)) - row;
}

Translation in_words(const Language& language, const std::string& line, const Hypothesis& found,
                     const TranslateOptions& options) {
  Translation out;
  std::vector<std::string> source;
  for (std::size_t t = 0; t < found.words.size(); ++t) {
    std::string part = language.target->part(found.words[t]);
    if (found.words[t] == data::kUnknown && options.replace_unknown && found.weights.defined()) {
      if (source.empty()) source = language.source->parts(line);
      if (!source.empty()) {
        part = source[static_cast<std::size_t>(most_looked_at(found.weights, static_cast<Index>(t),
                                                              static_cast<Index>(source.size())))];
      }
    }
    out.parts.push_back(std::move(part));
  }
  out.text = language.target->join(out.parts);
  out.score = found.score;
  out.log_probability = found.log_probability;
  if (options.need_weights) out.weights = found.weights;
  return out;
}

// Numbers of lines that have words, in batches of similar lengths.
std::vector<std::vector<Index>> batches_of(const std::vector<std::vector<Index>>& rows,
                                           Index tokens) {
  std::vector<Index> lines;
  std::vector<data::LengthKey> lengths;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() < 2) continue;
    lines.push_back(static_cast<Index>(i));
    lengths.emplace_back(static_cast<Index>(rows[i].size()), 0);
  }
  auto out = data::batches_by_tokens(lengths, tokens, nullptr);
  for (auto& batch : out) {
    for (Index& i : batch) i = lines[static_cast<std::size_t>(i)];
  }
  return out;
}

}  // namespace

std::vector<Index> read_line(const data::Coder& coder, const std::string& line) {
  std::vector<Index> ids = coder.encode(line);
  ids.push_back(data::kEnd);
  return ids;
}

std::vector<std::vector<Translation>> translate(const Language& language,
                                                const std::vector<std::string>& lines,
                                                const TranslateOptions& options) {
  const NoGrad scope;
  language.model->eval();
  const ModelOptions& model = language.model->options;
  const Index most = has_places(model) ? model.longest : std::numeric_limits<Index>::max();
  std::vector<std::vector<Index>> rows;
  std::vector<Index> left_out;
  for (const std::string& line : lines) {
    std::vector<Index> row = read_line(*language.source, line);
    left_out.push_back(std::max<Index>(static_cast<Index>(row.size()) - 1 - most, 0));
    row.erase(row.end() - 1 - left_out.back(), row.end() - 1);
    rows.push_back(std::move(row));
  }
  std::vector<std::vector<Translation>> out(lines.size());
  for (auto& found : out) found.resize(1);
  for (const std::vector<Index>& batch : batches_of(rows, options.tokens)) {
    std::vector<std::vector<Index>> sources;
    BeamSearchOptions search{.begin = data::kBegin,
                             .end = data::kEnd,
                             .beam = options.beam,
                             .length_penalty = options.length_penalty,
                             .coverage_penalty = options.coverage_penalty,
                             .n_best = options.n_best,
                             .forbidden = {data::kPadding, data::kBegin},
                             .need_weights = options.need_weights || options.replace_unknown};
    for (const Index i : batch) {
      sources.push_back(rows[static_cast<std::size_t>(i)]);
      const auto words = static_cast<Index>(sources.back().size()) - 1;
      search.longest.push_back(std::min({2 * words + 10, options.longest, most}));
    }
    const std::unique_ptr<nn::Decoding> decoding = language.model->start(rows_of(sources));
    const auto found = beam_search(*decoding, static_cast<Index>(batch.size()), search);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const auto line = static_cast<std::size_t>(batch[b]);
      out[line].clear();
      for (const Hypothesis& hypothesis : found[b]) {
        out[line].push_back(in_words(language, lines[line], hypothesis, options));
        out[line].back().left_out = left_out[line];
      }
    }
  }
  return out;
}

}  // namespace translation
