#include "batches.h"

#include <algorithm>

#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../data/coder.h"

namespace translation {
namespace {

const Example& at(const std::vector<Example>& examples, Index i) {
  return examples[static_cast<std::size_t>(i)];
}

std::vector<Index> after_begin(const Example& example) {
  std::vector<Index> out = {data::kBegin};
  out.insert(out.end(), example.target.begin(), example.target.end());
  return out;
}

}  // namespace

Rows rows_of(const std::vector<std::vector<Index>>& rows) {
  data::Padded padded = data::pad(rows, data::kPadding);
  return {Tensor(padded.ids), std::move(padded.lengths)};
}

Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& chosen) {
  std::vector<std::vector<Index>> sources, before;
  std::vector<std::int64_t> places, targets;
  std::size_t longest = 0;
  for (const Index i : chosen) longest = std::max(longest, at(examples, i).target.size() + 1);
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    const Example& example = at(examples, chosen[b]);
    sources.push_back(example.source);
    before.push_back(after_begin(example));
    for (std::size_t t = 0; t <= example.target.size(); ++t) {
      places.push_back(static_cast<std::int64_t>(b * longest + t));
      targets.push_back(t < example.target.size() ? example.target[t] : data::kEnd);
    }
  }
  return {rows_of(sources), rows_of(before), Tensor(Array::from(places)),
          Tensor(Array::from(targets))};
}

PackedBatch packed_batch_of(const std::vector<Example>& examples,
                            const std::vector<Index>& chosen) {
  std::vector<std::vector<Index>> sources, before;
  std::vector<Index> targets;
  for (const Index i : chosen) {
    const Example& example = at(examples, i);
    sources.push_back(example.source);
    before.push_back(after_begin(example));
    targets.insert(targets.end(), example.target.begin(), example.target.end());
    targets.push_back(data::kEnd);
  }
  return {pack(sources), pack(before), Tensor(Array::from(targets))};
}

std::vector<data::LengthKey> lengths_of(const std::vector<Example>& examples) {
  std::vector<data::LengthKey> out;
  for (const Example& example : examples) {
    out.emplace_back(static_cast<Index>(example.target.size()) + 1,
                     static_cast<Index>(example.source.size()));
  }
  return out;
}

Tensor features_of(const Translator& model, const Batch& batch) {
  return index_select(flatten(model.features(batch.source, batch.before), 0, 1), 0, batch.places);
}

Tensor features_of(const Translator& model, const PackedBatch& batch) {
  return model.features(batch.source, batch.before);
}

}  // namespace translation
