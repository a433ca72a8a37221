#include "batches.h"

#include <algorithm>
#include <numeric>

#include "../../data/batches.h"
#include "coder.h"

namespace translation {

using heed::Array;

namespace {

// How far, in words, two targets of one batch may lie apart beside what is needed.
constexpr double kJitter = 2;

Index length_of(const Example& example) { return static_cast<Index>(example.target.size()) + 1; }

template <class T>
void shuffle(std::vector<T>& items, heed::Generator& generator) {
  std::vector<T> out;
  out.reserve(items.size());
  for (const Index i : generator.permutation(static_cast<Index>(items.size()))) {
    out.push_back(std::move(items[static_cast<std::size_t>(i)]));
  }
  items = std::move(out);
}

}  // namespace

Rows rows_of(const std::vector<std::vector<Index>>& rows) {
  heed::data::Padded padded = heed::data::pad(rows, kPadding);
  return {Tensor(padded.ids), std::move(padded.lengths)};
}

Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& chosen) {
  std::vector<std::vector<Index>> sources, before;
  std::vector<std::int64_t> places, targets;
  std::size_t longest = 0;
  for (const Index i : chosen) {
    longest = std::max(longest, examples[static_cast<std::size_t>(i)].target.size() + 1);
  }
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    const Example& example = examples[static_cast<std::size_t>(chosen[b])];
    sources.push_back(example.source);
    before.push_back({kBegin});
    before.back().insert(before.back().end(), example.target.begin(), example.target.end());
    for (std::size_t t = 0; t <= example.target.size(); ++t) {
      places.push_back(static_cast<std::int64_t>(b * longest + t));
      targets.push_back(t < example.target.size() ? example.target[t] : kEnd);
    }
  }
  return {rows_of(sources), rows_of(before), Tensor(Array::from(places)),
          Tensor(Array::from(targets))};
}

std::vector<std::vector<Index>> batches_by_tokens(const std::vector<Example>& examples,
                                                  Index tokens, heed::Generator* generator) {
  std::vector<Index> order(examples.size());
  std::iota(order.begin(), order.end(), 0);
  if (generator) shuffle(order, *generator);
  std::vector<std::pair<double, double>> keys;
  for (const Example& example : examples) {
    const double jitter = generator ? kJitter * generator->uniform() : 0;
    keys.emplace_back(static_cast<double>(length_of(example)) + jitter,
                      static_cast<double>(example.source.size()));
  }
  std::stable_sort(order.begin(), order.end(), [&keys](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<Index>> batches;
  Index longest = 0;
  for (const Index i : order) {
    longest = std::max(longest, length_of(examples[static_cast<std::size_t>(i)]));
    if (batches.empty() || (static_cast<Index>(batches.back().size()) + 1) * longest > tokens) {
      batches.emplace_back();
      longest = length_of(examples[static_cast<std::size_t>(i)]);
    }
    batches.back().push_back(i);
  }
  if (generator) shuffle(batches, *generator);
  return batches;
}

}  // namespace translation
