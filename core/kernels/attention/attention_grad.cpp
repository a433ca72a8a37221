#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "../../parallel.h"
#include "../elementwise/copy.h"
#include "../reduce/finite_simd.h"
#include "../reduce/reduce.h"
#include "attention.h"
#include "attention_dropout.h"
#include "attention_scores.h"
#include "gradient_places.h"
#include "tile_terms.h"

namespace heed::kernels {
namespace {

// What came out of the forward pass and what comes back to it, out and g [lead.., Q, Dv], the
// others [lead.., Q], one after the other.
struct Returned {
  Array out, log_sums, rests, g, g_log_sums;  // the last may be undefined
};

// One tile at a time: its weights again, and the gradient of its scores.
//   dv = p^T g,  dp = g v^T,  ds = p (dp - delta),  delta = rowsum(g out) - g_log_sum
// Dropout's factors stand between p and what it weighs.
template <class T, class Score>
class Slopes {
 public:
  Slopes(const AttentionPlan& plan, const LeadingAxes& axes, const Returned& returned,
         bool differentiates, TileMemory<T>& memory)
      : score(plan, axes, differentiates, memory),
        most_keys(most_keys_of(plan, Score::most_keys(plan, true))),
        terms(plan, axes, most_keys),
        p(memory.take(most_keys * Score::kRows)),
        d(memory.take(most_keys * Score::kRows)),
        g(memory.take(Score::kRows * padded<T>(plan.Dv))),
        plan_(plan),
        axes_(axes),
        dropout_(plan, axes, most_keys),
        values_(plan.v, axes),
        outs_(returned.out, axes),
        gradients_(returned.g, axes),
        log_sums_(returned.log_sums),
        rests_(returned.rests),
        sums_grads_(returned.g_log_sums),
        width_(padded<T>(plan.Dv)),
        turned_(plan, plan.Dv, memory) {
    if (plan.map == nullptr || !differentiates) return;
    slope_ = memory.take(most_keys * Score::kRows);
    const std::vector<Index> wanted = plan.map->wanted();
    if (std::any_of(wanted.begin(), wanted.end(), [](Index numbers) { return numbers > 0; })) {
      raw_ = memory.take(most_keys * Score::kRows);
    }
  }

  void start(Index unit, Index member = 0) {
    unit_ = unit;
    block_ = values_.block(unit, member);
    score.start(unit, member);
  }

  void load(const QueryTile& tile) {
    tile_ = &tile;
    step = padded<T>(tile.count);
    score.load(tile);
    terms.load(unit_, tile);
    gradients_.load(unit_, tile, plan_.Dv, T{1}, g);
    turned_.load(tile.count, g);
    std::fill_n(log_sum_, step, std::numeric_limits<T>::infinity());
    std::fill_n(rest_, step, T{0});
    std::fill_n(delta_, step, T{0});
    for (Index r = 0; r < tile.run_count; ++r) {
      const QueryTile::Run& run = tile.runs[static_cast<std::size_t>(r)];
      simd::rows<T>().dot(run.count, plan_.Dv, outs_.run(unit_, run), outs_.step(),
                          g + run.row * width_, width_, delta_ + run.row);
      const Index first = axes_.offset(log_sums_.strides(), unit_, run.member) + run.query;
      for (Index i = 0; i < run.count; ++i) {
        const T sum = log_sums_.data<T>()[first + i];
        // Of nothing: weights of 0, not of exp(-infinity - -infinity).
        if (sum == -std::numeric_limits<T>::infinity()) continue;
        log_sum_[run.row + i] = sum;
        rest_[run.row + i] = rests_.data<T>()[first + i];
        if (sums_grads_.defined()) delta_[run.row + i] -= sums_grads_.data<T>()[first + i];
      }
    }
    finite = simd::finite<T>().all(tile.count * width_, g);
    if (!finite) clear_unless_finite(tile.count * width_, g);
  }

  void weigh(KeyRange keys) {
    score.scores(keys, p);
    if (raw_ != nullptr) std::copy_n(p, keys.size() * step, raw_);
    if (terms.maps()) terms.map(p, slope_);
    if (!terms.whole()) terms.lay_over(p);
    simd::tiles<T>().weigh(keys.size(), step, p, log_sum_, rest_);
    turned_.multiply(keys.size(), block_ + keys.begin * values_.step(), values_.step(), d);
    if (dropout_.drops()) {
      dropout_.draw(unit_, *tile_, keys);
      dropout_.apply(d);
    }
    simd::tiles<T>().slope(keys.size(), step, p, delta_, d);
    if (dropout_.drops()) dropout_.apply(p);
  }

  // d becomes the gradient of what the map was given; adds that of what it has captured.
  void through_map(KeyRange keys, double* const* captured) {
    if (slope_ == nullptr) return;
    if (captured != nullptr) {
      terms.each_strip([&](const MapRows<T>& rows, Index at) {
        plan_.map->add_captured(rows, raw_ + at, d + at, captured);
      });
    }
    simd::tiles<T>().chain(keys.size() * step, slope_, d);
  }

  const T* gradient(Index i) const { return gradients_.row(unit_, *tile_, i); }

  Score score;
  const Index most_keys;
  TileTerms<T> terms;
  T* p;  // [keys, step]: the weights
  T* d;  // [keys, step]: the gradient of the scores
  T* g;  // [rows, width]: the gradient of the result, without what is not finite
  Index step = 0;
  bool finite = true;

 private:
  const AttentionPlan& plan_;
  const LeadingAxes& axes_;
  TileDropout<T> dropout_;
  const OperandRows<const T> values_, outs_, gradients_;
  const Array &log_sums_, &rests_, &sums_grads_;
  T* raw_ = nullptr;    // [keys, step]: the scores before the map, where they are wanted
  T* slope_ = nullptr;  // [keys, step]: its derivative
  const Index width_;
  TurnedRows<T> turned_;  // g
  T log_sum_[QueryTile::kMost], rest_[QueryTile::kMost], delta_[QueryTile::kMost];
  Index unit_ = 0;
  const T* block_ = nullptr;
  const QueryTile* tile_ = nullptr;
};

// Calls body(keys) for those of the tile's keys that anybody may see, chunk by chunk.
template <class Terms, class Body>
void each_chunk(const QueryTile& tile, Terms& terms, const Body& body) {
  KeyRange keys{tile.keys.begin, tile.keys.begin};
  while (!(keys = terms.next(keys.end, tile.keys.end)).empty()) body(keys);
}

// The gradients of what the map has captured: each task's own, [tasks, numbers].
class CapturedSums {
 public:
  CapturedSums(const AttentionPlan& plan, Index tasks) {
    if (plan.map == nullptr) return;
    for (const Index numbers : plan.map->wanted()) {
      const Shape shape{tasks, numbers};
      sums_.push_back(numbers > 0 ? Array::zeros(shape, DType::f64) : Array());
    }
  }
  /// Where a task's begin; null for what nobody wants. Of nothing if nobody wants any.
  std::vector<double*> of(Index task) const {
    std::vector<double*> to;
    bool any = false;
    for (const Array& sums : sums_) {
      Array own = sums;
      any = any || own.defined();
      to.push_back(own.defined() ? own.mutable_data<double>() + task * own.size(1) : nullptr);
    }
    return any ? to : std::vector<double*>();
  }
  std::vector<Array> sums() const {
    std::vector<Array> out;
    for (const Array& sums : sums_) {
      out.push_back(sums.defined() ? reduce(Reduce::sum, sums, {0}, false) : Array());
    }
    return out;
  }

 private:
  std::vector<Array> sums_;
};

template <class T, class Score>
void differentiate(const AttentionPlan& plan, const AttentionScores& scores, const Array& v,
                   const Returned& returned, AttentionGrads& grads) {
  const LeadingAxes axes(plan.lead, plan.shared);
  const AttentionCut cut(plan, axes, Score::kRows, plan.Q * axes.members() + 1, 8);
  if (cut.tasks() == 0) {
    const auto none = [](const Array& x) { return Array::zeros(x.shape(), x.dtype()); };
    grads.q = none(scores.q);
    grads.k = none(scores.k);
    grads.v = none(v);
    if (plan.vector.defined()) grads.vector = none(scores.vector);
    return;
  }
  const bool whole = plan.q.shape() == scores.q.shape();
  const auto at_once = [&](const Array& x) {
    return KeyGradients::at_once(x, plan, cut.parts()) ? x : Array();
  };
  const std::vector<Array> places =
      gradient_places({whole ? scores.q : Array(), at_once(scores.k), at_once(v)});
  Array gq = whole ? places[0] : empty_in_order_of(plan.q, plan.D);
  KeyGradients gk(scores.k, plan, cut.parts(), axes.units(), places[1]);
  KeyGradients gv(v, plan, cut.parts(), axes.units(), places[2]);
  Array gw = plan.vector.defined()
                 ? Array::empty(Shape{cut.parts() * axes.units(), plan.D}, plan.q.dtype())
                 : Array();
  const Index width = padded<T>(plan.Dv);
  const CapturedSums captured(plan, cut.tasks());
  parallel_for(cut.tasks(), cut.grain(), [&](Index begin, Index end) {
    TileMemory<T> memory;
    Slopes<T, Score> slopes(plan, axes, returned, true, memory);
    T* const sum_v = memory.take(plan.K * width);
    const OperandRows<T> to_queries(gq, axes);
    const T one{1};
    QueryTile tile;
    for (Index i = begin; i < end; ++i) {
      const AttentionCut::Task task = cut.task(i);
      const std::vector<double*> to_captured = captured.of(i);
      slopes.start(task.unit);
      std::fill_n(sum_v, plan.K * width, T{0});
      for (Index t = task.begin; t < task.end; ++t) {
        plan.fill(axes, Score::kRows, task.unit, t, tile);
        slopes.load(tile);
        each_chunk(tile, slopes.terms, [&](KeyRange keys) {
          slopes.weigh(keys);
          T* const to = sum_v + keys.begin * width;
          plan.multiply<T>()(keys.size(), width, tile.count, slopes.p, slopes.step, 1, slopes.g,
                             width, true, to, width);
          if (!slopes.finite) {
            add_infinite(
                keys.size(), tile.count, plan.Dv, slopes.p, slopes.p, slopes.step, 1,
                [&](Index row) { return slopes.gradient(row); }, T{1}, to, width);
          }
          slopes.through_map(keys, to_captured.empty() ? nullptr : to_captured.data());
          slopes.score.slopes(keys, slopes.p, slopes.d);
        });
        slopes.score.store_queries(to_queries);
      }
      slopes.score.store_keys(gk.block<T>(axes, task.part, task.unit), gk.step());
      simd::rows<T>().scale(plan.K, plan.Dv, sum_v, width, &one, 0,
                            gv.block<T>(axes, task.part, task.unit), gv.step(), plan.Dv);
      if (gw.defined()) {
        slopes.score.store_vector(gw.mutable_data<T>() +
                                  (task.part * axes.units() + task.unit) * plan.D);
      }
    }
  });
  grads.q = whole ? gq : sum_to(gq, scores.q.shape());
  grads.k = gk.sum();
  grads.v = gv.sum();
  if (gw.defined()) grads.vector = reduce(Reduce::sum, gw, {0}, false);
  grads.captured = captured.sums();
}

// Where a score finds its bias: at i row_step + j column_step + first in its unit's block.
struct BiasPlaces {
  Shape lead;
  Index row_step, column_step, first;
  bool rows_apart;  // no two queries share an element
};

BiasPlaces places_of_bias(const Array& bias) {
  const Index rank = bias.rank();
  const bool rows = rank >= 2 && bias.size(-2) != 1;
  const bool columns = rank >= 1 && bias.size(-1) != 1;
  return {Shape(bias.shape().begin(), std::max<Index>(rank - 2, 0)), rows ? bias.size(-1) : 0,
          columns ? 1 : 0, 0, rows};
}

BiasPlaces places_of_offsets(const Array& offset_bias, Index queries) {
  return {Shape(offset_bias.shape().begin(), offset_bias.rank() - 1), -1, 1, queries - 1, false};
}

// A bias's own pass, with the places that share an element in the same task: added up in doubles.
template <class T, class Score>
void differentiate_bias(const AttentionPlan& plan, const Returned& returned,
                        const BiasPlaces& places, Array& gradient) {
  const LeadingAxes axes(plan.lead, places.lead);
  const Index tiles = places.rows_apart ? (plan.Q - 1) / Score::kRows + 1 : 1;
  const Index each = places.rows_apart ? Score::kRows : plan.Q;
  const Index block = axes.units() == 0 ? 0 : gradient.numel() / axes.units();
  const bool of_one = places.rows_apart && places.column_step == 1 && axes.members() == 1;
  parallel_for(axes.units() * tiles, 1, [&](Index begin, Index end) {
    TileMemory<T> memory;
    Slopes<T, Score> slopes(plan, axes, returned, false, memory);
    QueryTile tile;
    // Of queries first .. last, into to[0] and on, where query `first` and key 0 have their place.
    const auto add = [&](Index unit, Index first, Index last, auto* to) {
      using Sum = std::remove_reference_t<decltype(*to)>;
      for (Index member = 0; member < axes.members(); ++member) {
        slopes.start(unit, member);
        for (Index query = first; query < last; query += Score::kRows) {
          tile.clear();
          plan.add(axes, unit, member, query, std::min(Score::kRows, last - query), tile);
          slopes.load(tile);
          each_chunk(tile, slopes.terms, [&](KeyRange keys) {
            slopes.weigh(keys);
            for (Index i = 0; i < tile.count; ++i) {
              Sum* const row = to + (query - first + i) * places.row_step;
              for (Index j = keys.begin; j < keys.end; ++j) {
                row[j * places.column_step] +=
                    static_cast<Sum>(slopes.d[(j - keys.begin) * slopes.step + i]);
              }
            }
          });
        }
      }
    };
    std::vector<double> sums;
    for (Index task = begin; task < end; ++task) {
      const Index unit = task / tiles;
      const Index first = task % tiles * each, last = std::min(plan.Q, first + each);
      T* const own = gradient.mutable_data<T>() + unit * block + first * places.row_step;
      if (of_one) {
        add(unit, first, last, own);
        continue;
      }
      const Index size = places.rows_apart ? (last - first) * places.row_step : block;
      sums.assign(static_cast<std::size_t>(size), 0.0);
      add(unit, first, last, sums.data() + places.first);
      std::transform(sums.begin(), sums.end(), own, [](double sum) { return static_cast<T>(sum); });
    }
  });
}

}  // namespace

AttentionGrads attention_grad(const char* op, const AttentionScores& scores, const Array& v,
                              const AttentionTerms& terms, const Attended& result,
                              const AttendedGrad& back, bool with_bias, bool with_offset_bias) {
  const AttentionPlan plan(op, scores, v, terms);
  const Shape shape = plan.with_lead({plan.Q, plan.Dv});
  const Array g = back.out.expand(shape);
  const Returned returned{result.out.expand(shape), result.log_sums, result.rests,
                          g.strides()[shape.rank() - 1] == 1 ? g : g.contiguous(),
                          back.log_sums.defined()
                              ? back.log_sums.expand(result.log_sums.shape()).contiguous()
                              : Array()};
  AttentionGrads grads;
  const auto none = [](const Array& x) { return Array::zeros(x.shape(), x.dtype()); };
  if (with_bias) grads.bias = none(terms.bias);
  if (with_offset_bias) grads.offset_bias = none(terms.offset_bias);
  visit_floating(op, plan.q.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto run = [&]<class Score>(Score*) {
      differentiate<T, Score>(plan, scores, v, returned, grads);
      if (plan.Q == 0 || plan.K == 0) return;
      if (with_bias) {
        differentiate_bias<T, Score>(plan, returned, places_of_bias(terms.bias), grads.bias);
      }
      if (with_offset_bias) {
        differentiate_bias<T, Score>(plan, returned, places_of_offsets(terms.offset_bias, plan.Q),
                                     grads.offset_bias);
      }
    };
    if (plan.vector.defined()) {
      run(static_cast<AdditiveScore<T>*>(nullptr));
    } else {
      run(static_cast<DotScore<T>*>(nullptr));
    }
  });
  return grads;
}

}  // namespace heed::kernels
