#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "../../error.h"
#include "../../parallel.h"
#include "attention.h"
#include "attention_scores.h"
#include "tile_terms.h"

namespace heed::kernels {
namespace {

// Calls visit(unit, tile, keys, scores, weights), [keys, step] both, for all tiles that `queries`
// of a unit make; units in parallel, the tiles of one in order.
template <class T, class Score, class Visit>
void each_tile(const AttentionPlan& plan, const Array& log_sums, const std::vector<Index>& queries,
               const Visit& visit) {
  const LeadingAxes axes(plan.lead, plan.lead);
  parallel_for(axes.units(), 1, [&](Index begin, Index end) {
    TileMemory<T> memory;
    Score score(plan, axes, false, memory);
    const Index most_keys = most_keys_of(plan, Score::most_keys(plan, false));
    TileTerms<T> terms(plan, axes, most_keys);
    T* const s = memory.take(most_keys * Score::kRows);
    T* const p = memory.take(most_keys * Score::kRows);
    T log_sum[QueryTile::kMost];
    const T none[QueryTile::kMost] = {};
    QueryTile tile;
    for (Index unit = begin; unit < end; ++unit) {
      score.start(unit);
      const T* const sums = log_sums.data<T>() + axes.offset(log_sums.strides(), unit, 0);
      for (std::size_t first = 0; first < queries.size(); first += Score::kRows) {
        tile.clear();
        std::fill_n(log_sum, Score::kRows, std::numeric_limits<T>::infinity());
        for (std::size_t i = first; i < std::min(first + Score::kRows, queries.size()); ++i) {
          const T sum = sums[queries[i] * log_sums.strides()[log_sums.rank() - 1]];
          if (sum != -std::numeric_limits<T>::infinity()) log_sum[tile.count] = sum;
          plan.add(axes, unit, 0, queries[i], 1, tile);
        }
        const Index step = padded<T>(tile.count);
        score.load(tile);
        terms.load(unit, tile);
        KeyRange keys{tile.keys.begin, tile.keys.begin};
        while (!(keys = terms.next(keys.end, tile.keys.end)).empty()) {
          score.scores(keys, s);
          if (terms.maps()) terms.map(s);
          terms.lay_over(s);
          std::copy_n(s, keys.size() * step, p);
          simd::tiles<T>().weigh(keys.size(), step, p, log_sum, none);
          for (Index i = 0; i < tile.count; ++i) {
            for (Index at = i; at < keys.size() * step; at += step) {
              s[at] = p[at] == T{0} ? T{0} : s[at] - log_sum[i];
            }
          }
          visit(unit, static_cast<Index>(first), tile, keys, step, s, p);
        }
      }
    }
  });
}

std::vector<Index> all_queries(Index Q) {
  std::vector<Index> queries;
  for (Index i = 0; i < Q; ++i) queries.push_back(i);
  return queries;
}

// The plan, once the log-sums are known to be this call's. Their leading axes are the result's.
AttentionPlan checked_plan(const char* op, const AttentionScores& scores,
                           const AttentionTerms& terms, const Array& log_sums) {
  const Index Q = scores.q.rank() < 2 ? -1 : scores.q.size(-2);
  const Index K = scores.k.rank() < 2 ? 0 : scores.k.size(-2);
  if (!log_sums.defined() || log_sums.dtype() != scores.q.dtype() || log_sums.rank() < 1 ||
      log_sums.size(-1) != Q) {
    throw ShapeError(fmt::format("{}: log_sums {} are not those of q {}", op, describe(log_sums),
                                 describe(scores.q)));
  }
  Shape values(log_sums.shape().begin(), log_sums.rank() - 1);
  values.push_back(K);
  values.push_back(0);
  AttentionPlan plan(op, scores, Array::empty(values, scores.q.dtype()), terms);
  if (!(plan.with_lead({Q}) == log_sums.shape())) {
    throw ShapeError(fmt::format("{}: log_sums {} are not those of q {}, k {}", op,
                                 describe(log_sums), describe(scores.q), describe(scores.k)));
  }
  return plan;
}

// visit as in each_tile, for whichever score and dtype.
template <class Visit>
void walk(const char* op, const AttentionPlan& plan, const Array& log_sums,
          const std::vector<Index>& queries, const Visit& visit) {
  visit_floating(op, plan.q.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (plan.vector.defined()) {
      each_tile<T, AdditiveScore<T>>(plan, log_sums, queries, visit);
    } else {
      each_tile<T, DotScore<T>>(plan, log_sums, queries, visit);
    }
  });
}

}  // namespace

Array attention_weights(const char* op, const AttentionScores& scores, const AttentionTerms& terms,
                        const Array& log_sums, const Array& rows) {
  const AttentionPlan plan = checked_plan(op, scores, terms, log_sums);
  if (!rows.defined() || rows.dtype() != DType::i64 || rows.rank() != 1) {
    throw DTypeError(fmt::format("{}: rows must be i64 [R], not {}", op, describe(rows)));
  }
  const std::vector<Index> queries = rows.to_vector<Index>();
  for (const Index query : queries) {
    if (query < 0 || query >= plan.Q) {
      throw IndexError(fmt::format("{}: row {} is not in [0, {})", op, query, plan.Q));
    }
  }
  const Index R = rows.numel(), K = plan.K;
  Array out = Array::zeros(plan.with_lead({R, K}), plan.q.dtype());
  walk(op, plan, log_sums, queries,
       [&](Index unit, Index first, const QueryTile& tile, KeyRange keys, Index step, const auto*,
           const auto* p) {
         using T = std::remove_cvref_t<decltype(*p)>;
         T* const to = out.mutable_data<T>() + (unit * R + first) * K;
         for (Index i = 0; i < tile.count; ++i) {
           for (Index j = 0; j < keys.size(); ++j) to[i * K + keys.begin + j] = p[j * step + i];
         }
       });
  return out;
}

Array attention_received(const char* op, const AttentionScores& scores, const AttentionTerms& terms,
                         const Array& log_sums) {
  const AttentionPlan plan = checked_plan(op, scores, terms, log_sums);
  Array out = Array::zeros(plan.with_lead({plan.K}), DType::f64);  // over very many queries
  walk(op, plan, log_sums, all_queries(plan.Q),
       [&](Index unit, Index, const QueryTile& tile, KeyRange keys, Index step, const auto*,
           const auto* p) {
         double* const to = out.mutable_data<double>() + unit * plan.K + keys.begin;
         for (Index j = 0; j < keys.size(); ++j) {
           for (Index i = 0; i < tile.count; ++i) to[j] += static_cast<double>(p[j * step + i]);
         }
       });
  return out.to(plan.q.dtype());
}

Array attention_entropy(const char* op, const AttentionScores& scores, const AttentionTerms& terms,
                        const Array& log_sums) {
  const AttentionPlan plan = checked_plan(op, scores, terms, log_sums);
  Array out = Array::zeros(plan.with_lead({plan.Q}), DType::f64);
  walk(op, plan, log_sums, all_queries(plan.Q),
       [&](Index unit, Index first, const QueryTile& tile, KeyRange keys, Index step,
           const auto* log_p, const auto* p) {
         double* const to = out.mutable_data<double>() + unit * plan.Q + first;
         for (Index j = 0; j < keys.size(); ++j) {
           for (Index i = 0; i < tile.count; ++i) {
             to[i] -= static_cast<double>(p[j * step + i] * log_p[j * step + i]);
           }
         }
       });
  return out.to(plan.q.dtype());
}

Array attention_mask(const char* op, const AttentionScores& scores, const Array& v,
                     const AttentionTerms& terms) {
  const AttentionPlan plan(op, scores, v, terms);
  const bool ranges = terms.left >= 0 || terms.right >= 0 || terms.lengths.defined() ||
                      !terms.blocks.empty() || !terms.segments.empty() || terms.rule != nullptr;
  if (!ranges) return terms.allowed;
  Array mask = Array::zeros(plan.with_lead({plan.Q, plan.K}), DType::boolean);
  const LeadingAxes axes(plan.lead, plan.lead);
  bool* to = mask.mutable_data<bool>();
  for (Index unit = 0; unit < axes.units(); ++unit) {
    const KeyRange all{0, plan.K}, queries{plan.K - plan.Q, plan.K};
    std::fill_n(to, plan.Q * plan.K, true);
    if (plan.rule != nullptr && plan.Q > 0 && plan.K > 0) {
      plan.rule->fill(plan.matrix(axes, unit, 0), queries, all, to, plan.K);
    }
    for (Index query = 0; query < plan.Q; ++query, to += plan.K) {
      const KeyRange keys = plan.keys_of(axes, unit, 0, query);
      std::fill(to, to + keys.begin, false);
      std::fill(to + keys.end, to + plan.K, false);
      if (!plan.allowed.defined()) continue;
      const Strides& steps = plan.allowed.strides();
      const bool* const may =
          plan.allowed.data<bool>() + axes.offset(steps, unit, 0) + query * steps[steps.rank() - 2];
      for (Index j = keys.begin; j < keys.end; ++j) {
        to[j] = to[j] && may[j * steps[steps.rank() - 1]];
      }
    }
  }
  return mask;
}

}  // namespace heed::kernels
