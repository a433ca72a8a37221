#include "tagging.h"

#include <fmt/format.h>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../data/loader.h"
#include "../../train/alignment.h"

namespace aspects {
namespace {

// Each word with the marks of the spans that begin or end at it.
Words marked(Words words, const Tagged& tagged) {
  for (std::size_t side = 0; side < 2; ++side) {
    for (const train::Span& span : train::spans_of(tagged.tags[side])) {
      words[span.begin].insert(std::size_t{0}, 1, side == 0 ? '<' : '*');
      words[span.end - 1] += side == 0 ? '>' : '*';
    }
  }
  return words;
}

}  // namespace

std::vector<Tagged> tag(Tagger& tagger, const std::vector<Example>& some) {
  const NoGrad scope;
  tagger.eval();
  const Batch batch = batch_of(some);
  const Reading found = tagger(batch.words, batch.lengths);
  std::vector<Tagged> out(some.size());
  for (std::size_t side = 0; side < 2; ++side) {
    const Array best = argmax(found.logits[side], -1).array();  // [B, T]
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Index begin = static_cast<Index>(i) * best.size(1), end = begin + some[i].length();
      out[i].tags[side] = data::iob_tags({best.data<Index>() + begin, best.data<Index>() + end});
      for (std::size_t layer = 0; layer < found.weights[side].size(); ++layer) {
        if (layer > 0 && layer + 1 == found.weights[side].size()) break;  // nothing reads it
        const Array weights = found.weights[side][layer].array().to(DType::f64);
        const auto* from = weights.data<double>();
        out[i].weights[side].emplace_back(from + begin, from + end);
      }
    }
  }
  return out;
}

Tagged tag(const Reader& reader, const Words& words) {
  if (words.empty()) throw ValueError("the sentence has no words");
  if (static_cast<Index>(words.size()) > data::kLongestTagged) {
    throw ValueError(
        fmt::format("a sentence of {} words, above {}", words.size(), data::kLongestTagged));
  }
  const std::vector<Index> none(words.size(), kNoWord);
  return tag(*reader.tagger, {{reader.vocabulary.ids(words), {none, none}}})[0];
}

std::array<train::SpanF1, 2> evaluate(Tagger& tagger, const std::vector<Example>& examples) {
  std::array<train::SpanF1, 2> out;
  data::Loader batches(examples, {.size = 50, .by = &Example::length, .shuffle = false});
  while (const auto batch = batches.next()) {
    const std::vector<Tagged> found = tag(tagger, *batch);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t side = 0; side < 2; ++side)
        out[side].add(data::iob_tags((*batch)[i].labels[side]), found[i].tags[side]);
    }
  }
  return out;
}

std::string in_text(const Words& words, const Tagged& tagged, train::ShadeStyle style) {
  std::string out;
  for (const std::string& word : marked(words, tagged)) out += (out.empty() ? "" : " ") + word;
  for (std::size_t side = 0; side < 2; ++side) {
    if (tagged.weights[side].empty()) continue;
    train::AttendedSentence seen{1, {}};
    for (std::size_t i = 0; i < words.size(); ++i) {
      seen.words.push_back({words[i], tagged.weights[side].back()[i]});
    }
    out += fmt::format("\n  {:8} look at  {}", kSides[side],
                       train::shade(seen, train::largest_share({seen}), style));
  }
  return out + '\n';
}

train::Picture in_picture(const Words& words, const Tagged& tagged) {
  if (tagged.weights[0].empty()) throw ValueError("a model without attention has no picture");
  train::Alignment alignment{"", marked(words, tagged), {}, {}};
  std::vector<double> weights;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const std::vector<double>& layer : tagged.weights[side]) {
      const std::size_t number = alignment.rows.size() % tagged.weights[side].size() + 1;
      alignment.rows.push_back(fmt::format("{} {}", kSides[side], number));
      weights.insert(weights.end(), layer.begin(), layer.end());
    }
  }
  alignment.weights = Array::from(weights).reshape(
      {static_cast<Index>(alignment.rows.size()), static_cast<Index>(words.size())});
  return train::alignment_picture(alignment);
}

}  // namespace aspects
