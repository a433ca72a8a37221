#include "attention_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "../../error.h"
#include "../../precision.h"
#include "../../simd.h"

namespace heed::kernels {
namespace {

// Of queries, keys and numbers each: with fewer, laying them out costs more than it saves.
constexpr Index kLeastInBf16 = 32;

Shape leading(const Array& x) { return Shape(x.shape().begin(), x.rank() - 2); }

Array spread(const Array& x, const Shape& lead) {
  Shape shape = lead;
  shape.push_back(x.size(-2));
  shape.push_back(x.size(-1));
  return x.expand(shape);
}

Array with_dense_rows(const Array& x) {
  return x.size(-1) <= 1 || x.strides()[x.rank() - 1] == 1 ? x : x.contiguous();
}

void check_matrix(const char* op, const char* what, const Array& x, const Array& q) {
  if (x.dtype() != q.dtype()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: q is {}, {} is {}", op, describe(q), what, describe(x)));
  }
  if (x.rank() < 2) {
    throw ShapeError(fmt::format("{}: {} needs rank 2 or more, not {}", op, what, describe(x)));
  }
}

void check_broadcast(const char* op, const char* what, const Array& x, const Shape& scores) {
  bool fits = x.rank() <= scores.rank();
  for (Index i = 1; fits && i <= x.rank(); ++i) {
    const Index size = x.shape()[x.rank() - i];
    fits = size == 1 || size == scores[scores.rank() - i];
  }
  if (fits) return;
  throw ShapeError(fmt::format("{}: {} {} does not broadcast to the scores {}", op, what,
                               describe(x), to_string(scores)));
}

}  // namespace

LeadingAxes::LeadingAxes(const Shape& lead, const Shape& shared) : sizes_(lead) {
  const Index missing = lead.rank() - shared.rank();
  for (Index axis = 0; axis < lead.rank(); ++axis) {
    const bool together = lead[axis] != 1 && (axis < missing || shared[axis - missing] == 1);
    is_member_[static_cast<std::size_t>(axis)] = together;
    (together ? members_ : units_) *= lead[axis];
  }
}

Index LeadingAxes::offset(const Strides& strides, Index unit, Index member) const {
  Index at = 0;
  for (Index axis = sizes_.rank() - 1; axis >= 0; --axis) {
    if (sizes_[axis] == 1) continue;
    Index& rest = is_member_[static_cast<std::size_t>(axis)] ? member : unit;
    at += rest % sizes_[axis] * strides[axis];
    rest /= sizes_[axis];
  }
  return at;
}

AttentionPlan::AttentionPlan(const char* op, const AttentionScores& scores, const Array& values,
                             const AttentionTerms& terms)
    : op_name(op),
      scale(terms.scale),
      dropout(terms.dropout),
      draws(terms.draws),
      rule(terms.rule),
      map(terms.map) {
  check_floating(op, scores.q.dtype());
  check_matrix(op, "q", scores.q, scores.q);
  check_matrix(op, "k", scores.k, scores.q);
  if (scores.q.size(-1) != scores.k.size(-1)) {
    throw ShapeError(fmt::format("{}: widths differ: q is {}, k is {}", op, describe(scores.q),
                                 describe(scores.k)));
  }
  check_matrix(op, "v", values, scores.q);
  if (values.size(-2) != scores.k.size(-2)) {
    throw ShapeError(fmt::format("{}: numbers of keys differ: k is {}, v is {}", op,
                                 describe(scores.k), describe(values)));
  }
  Q = scores.q.size(-2);
  K = scores.k.size(-2);
  D = scores.q.size(-1);
  Dv = values.size(-1);
  vector = scores.vector;
  if (vector.defined() && !(vector.shape() == Shape{D} && vector.dtype() == scores.q.dtype())) {
    throw ShapeError(fmt::format("{}: the score vector must be {}[{}], not {}; q is {}", op,
                                 name(scores.q.dtype()), D, describe(vector), describe(scores.q)));
  }
  shared = broadcast_shapes(op, leading(scores.k), leading(values));
  lead = broadcast_shapes(op, leading(scores.q), shared);
  q = spread(with_dense_rows(scores.q), lead);
  k = spread(with_dense_rows(scores.k), lead);
  v = spread(with_dense_rows(values), lead);
  if (vector.defined()) vector = vector.contiguous();
  in_bf16 = q.dtype() == DType::f32 && precision() == Precision::bf16 && has_bf16_dot() &&
            !vector.defined() && std::min({Q, K, D}) >= kLeastInBf16;
  all = with_lead({Q, K});
  batch_steps_ = head_steps_ = matrix_steps_ = q.strides();  // as many as are needed
  for (Index axis = lead.rank() - 1, heads = 1, matrices = 1; axis >= 0; --axis) {
    const bool is_batch = axis == 0;
    batch_steps_[axis] = is_batch ? 1 : 0;
    head_steps_[axis] = is_batch ? 0 : heads;
    matrix_steps_[axis] = matrices;
    if (!is_batch) heads *= lead[axis];
    matrices *= lead[axis];
  }
  check_terms(op, terms);
}

ScoresAt AttentionPlan::matrix(const LeadingAxes& axes, Index unit, Index member) const {
  return {&all, axes.offset(batch_steps_, unit, member), axes.offset(head_steps_, unit, member)};
}

Index AttentionPlan::matrices_before(const LeadingAxes& axes, Index unit, Index member) const {
  return axes.offset(matrix_steps_, unit, member);
}

void AttentionPlan::check_terms(const char* op, const AttentionTerms& terms) {
  if (!std::isfinite(scale)) throw ValueError(fmt::format("{}: scale {} is no number", op, scale));
  if (q.dtype() == DType::f32 && std::fabs(scale) > std::numeric_limits<float>::max()) {
    throw ValueError(fmt::format("{}: f32 does not hold the scale {}", op, scale));
  }
  if (terms.left < -1 || terms.right < -1) {
    throw ValueError(fmt::format("{}: window of {} to the left and {} to the right; -1 is no bound",
                                 op, terms.left, terms.right));
  }
  behind_ = terms.left > Q + K ? -1 : terms.left;
  ahead_ = terms.right > Q + K ? -1 : terms.right;
  blocks_ = terms.blocks;
  for (const Index size : blocks_) {
    if (size <= 0) throw ValueError(fmt::format("{}: block of {} must be positive", op, size));
  }
  if (!(dropout >= 0 && dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", op, dropout));
  }
  check_segments(op, terms.segments);
  if (rule != nullptr) rule->check(op, all);
  if (terms.allowed.defined()) {
    if (terms.allowed.dtype() != DType::boolean) {
      throw DTypeError(
          fmt::format("{}: allowed must be bool, not {}", op, describe(terms.allowed)));
    }
    check_broadcast(op, "allowed", terms.allowed, all);
    allowed = terms.allowed.expand(all);
  }
  check_bias(op, terms);
  if (!terms.lengths.defined()) return;
  if (terms.lengths.dtype() != DType::i64) {
    throw DTypeError(fmt::format("{}: lengths must be i64, not {}", op, describe(terms.lengths)));
  }
  Shape front(lead.begin(), std::min(lead.rank(), terms.lengths.rank()));
  if (!(terms.lengths.shape() == front)) {
    throw ShapeError(fmt::format("{}: lengths {} do not begin the leading axes {}", op,
                                 describe(terms.lengths), to_string(lead)));
  }
  const auto values = terms.lengths.to_vector<Index>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] > K) {
      throw ValueError(fmt::format("{}: length {} at {} is not in [0, {}]", op, values[i], i, K));
    }
  }
  while (front.rank() < lead.rank()) front.push_back(1);
  lengths_ = terms.lengths.reshape(front).expand(lead);
}

void AttentionPlan::check_segments(const char* op, const std::vector<Index>& offsets) {
  if (offsets.empty()) return;
  if (offsets.front() != 0 || offsets.back() != K ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw ValueError(fmt::format(
        "{}: segments must begin at 0, not fall, and end at the number of keys, {}, not {} .. {}",
        op, K, offsets.front(), offsets.back()));
  }
  for (std::size_t s = 1; s < offsets.size(); ++s) {
    segments_.resize(static_cast<std::size_t>(offsets[s]), {offsets[s - 1], offsets[s]});
  }
}

void AttentionPlan::check_bias(const char* op, const AttentionTerms& terms) {
  const auto check_dtype = [&](const char* what, const Array& x) {
    if (x.dtype() == q.dtype()) return;
    throw DTypeError(
        fmt::format("{}: {} must be {}, not {}", op, what, name(q.dtype()), describe(x)));
  };
  if (terms.sinks.defined()) {
    check_dtype("sinks", terms.sinks);
    check_broadcast(op, "sinks", terms.sinks, lead);
    sinks = terms.sinks.expand(lead);
  }
  if (terms.bias.defined()) {
    check_dtype("bias", terms.bias);
    check_broadcast(op, "bias", terms.bias, all);
    bias = terms.bias.expand(all);
  }
  if (!terms.offset_bias.defined()) return;
  check_dtype("offset_bias", terms.offset_bias);
  const Index count = std::max<Index>(Q + K - 1, 0);
  if (terms.offset_bias.rank() == 0 || terms.offset_bias.size(-1) != count) {
    throw ShapeError(fmt::format("{}: offset_bias must be [.., {}] for scores {}, not {}", op,
                                 count, to_string(all), describe(terms.offset_bias)));
  }
  check_broadcast(op, "offset_bias", terms.offset_bias, with_lead({count}));
  if (Q == 0 || K == 0) return;
  // Element j - i + Q - 1: a row further down begins one element before.
  const Array spread = terms.offset_bias.expand(with_lead({count})).slice(-1, Q - 1, count);
  Strides strides = spread.strides();
  const Index step = strides[lead.rank()];
  strides[lead.rank()] = -step;
  strides.push_back(step);
  offset_bias = spread.as_strided(all, strides);
}

Shape AttentionPlan::with_lead(std::initializer_list<Index> rest) const {
  Shape shape = lead;
  for (const Index size : rest) shape.push_back(size);
  return shape;
}

Index AttentionPlan::length_of(const LeadingAxes& axes, Index unit, Index member) const {
  if (!lengths_.defined()) return K;
  return lengths_.data<Index>()[axes.offset(lengths_.strides(), unit, member)];
}

KeyRange AttentionPlan::keys_of(Index query, Index length) const {
  KeyRange keys{0, length};
  const Index place = query + K - Q;
  if (behind_ >= 0) keys.begin = std::max(keys.begin, place - behind_);
  if (ahead_ >= 0) keys.end = std::min(keys.end, place + ahead_ + 1);
  for (const Index size : blocks_) {
    const Index into = place % size;
    const Index begin = place - into - (into < 0 ? size : 0);  // also before the first key
    keys.begin = std::max(keys.begin, begin);
    keys.end = std::min(keys.end, begin + size);
  }
  if (!segments_.empty()) {
    const KeyRange own = place < 0 ? KeyRange{} : segments_[static_cast<std::size_t>(place)];
    keys.begin = std::max(keys.begin, own.begin);
    keys.end = std::min(keys.end, own.end);
  }
  return keys.empty() ? KeyRange{} : keys;
}

KeyRange AttentionPlan::keys_of(const LeadingAxes& axes, Index unit, Index member,
                                Index query) const {
  return keys_of(query, length_of(axes, unit, member));
}

Index AttentionPlan::tiles(const LeadingAxes& axes, Index rows) const {
  if (Q == 0) return 0;
  if (Q >= rows) return axes.members() * ((Q - 1) / rows + 1);
  return axes.members() == 0 ? 0 : (axes.members() - 1) / (rows / Q) + 1;
}

void AttentionPlan::fill(const LeadingAxes& axes, Index rows, Index unit, Index t,
                         QueryTile& tile) const {
  tile.clear();
  if (Q >= rows) {
    const Index each = (Q - 1) / rows + 1;
    const Index first = t % each * rows;
    add(axes, unit, t / each, first, std::min(rows, Q - first), tile);
    return;
  }
  const Index together = rows / Q;
  const Index end = std::min(axes.members(), (t + 1) * together);
  for (Index member = t * together; member < end; ++member) add(axes, unit, member, 0, Q, tile);
}

void AttentionPlan::add(const LeadingAxes& axes, Index unit, Index member, Index first, Index count,
                        QueryTile& tile) const {
  tile.runs[static_cast<std::size_t>(tile.run_count++)] = {member, first, tile.count, count};
  const Index length = length_of(axes, unit, member);
  for (Index query = first; query < first + count; ++query) {
    const KeyRange keys = keys_of(query, length);
    tile.sees[static_cast<std::size_t>(tile.count++)] = keys;
    if (keys.empty()) continue;
    if (tile.keys.empty()) {
      tile.keys = keys;
    } else {
      tile.keys = {std::min(tile.keys.begin, keys.begin), std::max(tile.keys.end, keys.end)};
    }
  }
}

const QueryTile::Run& QueryTile::run_of(Index row) const {
  Index i = run_count - 1;
  while (runs[static_cast<std::size_t>(i)].row > row) --i;
  return runs[static_cast<std::size_t>(i)];
}

AttentionCut::AttentionCut(const AttentionPlan& plan, const LeadingAxes& axes, Index rows,
                           Index most_tiles, Index least_tasks)
    : units_(axes.units()), tiles_(plan.tiles(axes, rows)) {
  const Index wanted = units_ * tiles_ / least_tasks;
  each_ = std::clamp<Index>(wanted, 1, std::min(most_tiles, std::max<Index>(tiles_, 1)));
  parts_ = (tiles_ + each_ - 1) / each_;
  constexpr double kWorth = 1 << 20;                                    // multiplications
  const Index to_score = plan.vector.defined() ? 16 * plan.D : plan.D;  // tanh
  const Index to_load = 4 * (plan.D + plan.Dv);
  const Index queries = each_ * std::min(rows, plan.Q * axes.members());
  const double work = static_cast<double>(plan.K) *
                      static_cast<double>(queries * (to_score + plan.Dv + 16) + to_load);
  grain_ = work >= kWorth ? 1 : static_cast<Index>(kWorth / std::max(work, 64.0)) + 1;
}

AttentionCut::Task AttentionCut::task(Index i) const {
  const Index part = parts_ - 1 - i / units_;
  return {i % units_, part, part * each_, std::min(tiles_, (part + 1) * each_)};
}

Array empty_in_order_of(const Array& x, Index last) {
  const Index rank = x.rank();
  std::vector<Index> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), Index{0});
  const bool broadcast = std::any_of(order.begin(), order.end(), [&](Index axis) {
    return x.strides()[axis] == 0 && x.shape()[axis] > 1;
  });
  if (!broadcast) {
    std::stable_sort(order.begin(), order.end() - 1,
                     [&](Index a, Index b) { return x.strides()[a] > x.strides()[b]; });
  }
  Shape shape;
  std::vector<Index> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shape.push_back(i + 1 == order.size() ? last : x.shape()[order[i]]);
    back[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }
  return Array::empty(shape, x.dtype()).permute(back);
}

}  // namespace heed::kernels
