#include "monotonic_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/arrange.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "monotonic_heads";
constexpr double kCertain = 1e4;  // of whose sigmoid no digit is missing to 1
constexpr double kHidden = -1e9;

MonotonicHeadsOptions checked(MonotonicHeadsOptions o) {
  if (o.key_width == 0) o.key_width = o.width;
  if (o.width <= 0 || o.heads <= 0 || o.key_width <= 0 || o.width % o.heads != 0) {
    throw ValueError(fmt::format(
        "{}: width {}, heads {} and key_width {} must be positive, and heads divide the width",
        kName, o.width, o.heads, o.key_width));
  }
  if (!std::isfinite(o.offset) || !(o.noise >= 0)) {
    throw ValueError(fmt::format("{}: offset {} must be finite, noise {} not negative", kName,
                                 o.offset, o.noise));
  }
  return o;
}

// The last place of each row that counts, bool [B, 1, 1, K]; [K] where all do.
Tensor last_places(const Tensor& real, Index keys) {
  if (!real.defined()) return arange(keys) == tensor(keys - 1);
  const Tensor left = cumsum(flip(to(real, DType::f32), {-1}), -1);  // how many from here on
  return logical_and(real, flip(left, {-1}) == tensor(1, DType::f32));
}

// max(x_1, .., x_t), a constant.
Tensor running_maximum(const Tensor& x) {
  const NoGrad scope;
  Tensor top = x.detach();
  const Index count = x.size(-1);
  for (Index by = 1; by < count; by *= 2) {
    const Tensor before = pad(narrow(top, -1, 0, count - by), {by, 0}, PadMode::constant,
                              -std::numeric_limits<double>::infinity());
    top = maximum(top, before);
  }
  return top;
}

// log sum over l <= t of exp(x_l).
Tensor log_sums(const Tensor& x) {
  if (traced()) {  // by operators that can be followed, whatever the number of keys
    const Tensor places = arange(x.size(-1));
    const Tensor before = places <= unsqueeze(places, 1);  // [K, K]
    return logsumexp(where(before, unsqueeze(x, -2), -std::numeric_limits<double>::infinity()),
                     {-1});
  }
  const Tensor top = running_maximum(x);
  const Index count = x.size(-1);
  const Tensor kept =
      pad(exp(narrow(top, -1, 0, count - 1) - narrow(top, -1, 1, count - 1)), {1, 0});
  return top + log(linear_scan(kept, exp(x - top), -1));
}

}  // namespace

// With L_t = log sum over l <= t of exp(u_l):  beta_j = exp(u_j - L_j) c_j, and from the end on
// c_j = alpha_j + exp(L_j - L_{j+1}) c_{j+1}. No exponential is above 1.
Tensor infinite_lookback(const Tensor& alignment, const Tensor& scores, const Tensor& allowed) {
  check_defined("infinite_lookback", alignment, "alignment", scores, "u");
  if (alignment.rank() < 1 || alignment.shape() != scores.shape()) {
    throw ShapeError(fmt::format(
        "infinite_lookback: alignment and u must be of one shape [.., K], not {} and {}",
        describe(alignment), describe(scores)));
  }
  if (alignment.numel() == 0) return alignment * 1;
  const Tensor u = allowed.defined() ? where(allowed, scores, kHidden) : scores;
  const Index count = u.size(-1);
  const Tensor L = log_sums(u);
  const Tensor kept = pad(exp(narrow(L, -1, 0, count - 1) - narrow(L, -1, 1, count - 1)), {0, 1});
  const Tensor beta = exp(u - L) * linear_scan(kept, alignment, -1, true);
  return allowed.defined() ? where(allowed, beta, 0) : beta;
}

MonotonicHeads::MonotonicHeads(const MonotonicHeadsOptions& given)
    : query_projection(child<nn::Linear>("query_projection", checked(given).width, given.width,
                                         false, given.dtype)),
      key_projection(child<nn::Linear>("key_projection", checked(given).key_width, given.width,
                                       false, given.dtype)),
      offset(parameter("offset", full(Shape{given.heads}, given.offset, given.dtype))),
      soft_query(given.look_back ? &child<nn::Linear>("soft_query", given.width, given.width, false,
                                                      given.dtype)
                                 : nullptr),
      soft_key(given.look_back ? &child<nn::Linear>("soft_key", checked(given).key_width,
                                                    given.width, false, given.dtype)
                               : nullptr),
      value_projection(child<nn::Linear>("value_projection", checked(given).key_width, given.width,
                                         true, given.dtype)),
      out_proj(child<nn::Linear>("out_proj", given.width, given.width, true, given.dtype)),
      alignment(child<Monotonic>("alignment", given.noise)),
      heads_(given.heads) {}

Tensor MonotonicHeads::split(const Tensor& x) const {
  return transpose(reshape(x, Shape{x.size(0), x.size(1), heads_, x.size(2) / heads_}), 1, 2);
}

namespace {

// q . k / sqrt(D)
Tensor scaled_dot(const Tensor& q, const Tensor& k) {
  return matmul(q, transpose(k, -2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
}

}  // namespace

Tensor MonotonicHeads::energies(const Tensor& query, const Tensor& prepared) const {
  return scaled_dot(split(query_projection(query)), prepared) +
         reshape(offset, Shape{heads_, 1, 1});
}

MonotonicAttended MonotonicHeads::operator()(const Tensor& query, const Tensor& given,
                                             const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  const Index E = query_projection.weight.size(1), Ek = key_projection.weight.size(1);
  check_batch(kName, "query", query);
  check_rows(kName, "query", query, E, offset.dtype());
  const auto [keys, real] = masked_sequence(kName, "keys", given, Ek, offset.dtype(), mask);
  check_rows_of_batch(kName, "keys", keys, query.size(0));
  const Index B = query.size(0), Q = query.size(1), K = keys.size(1);

  Tensor e = energies(query, split(key_projection(keys)));  // [B, H, Q, K]
  const Tensor allowed = real.defined() ? reshape(real, Shape{B, 1, 1, K}) : Tensor();
  MonotonicAttended out;
  if (e.numel() > 0) e = where(last_places(allowed, K), kCertain, e);
  out.alignment = alignment(e, allowed);
  Tensor weights = out.alignment;
  if (soft_query != nullptr) {
    const Tensor u = scaled_dot(split((*soft_query)(query)), split((*soft_key)(keys)));
    weights = infinite_lookback(weights, u, allowed);
  }
  const Tensor heads = matmul(weights, split(value_projection(keys)));  // [B, H, Q, D]
  out.context = forwarded(out_proj(reshape(transpose(heads, 1, 2), Shape{B, Q, E})));
  if (need_weights) out.weights = weights;
  return out;
}

MonotonicStream MonotonicHeads::stream() const { return MonotonicStream(*this); }

MonotonicStream::MonotonicStream(const MonotonicHeads& heads)
    : heads_(&heads), at_(static_cast<std::size_t>(heads.heads_), 0) {}

void MonotonicStream::read(const Tensor& keys) {
  const NoGrad off;
  const MonotonicHeads& m = *heads_;
  check_defined(kName, keys, "keys");
  if (keys.rank() != 2) {
    throw ShapeError(fmt::format("{}: a stream's keys must be [n, {}], not {}", kName,
                                 m.key_projection.weight.size(1), describe(keys)));
  }
  check_rows(kName, "keys", keys, m.key_projection.weight.size(1), m.offset.dtype());
  if (ended_) throw ValueError(fmt::format("{}: a stream that has ended reads no more", kName));
  const Tensor more = unsqueeze(keys, 0);
  const auto append = [&](Tensor& to, const nn::Linear& by) {
    const Tensor heads = m.split(by(more));
    to = to.defined() ? concat({to, heads}, 2) : heads;
  };
  append(keys_, m.key_projection);
  if (m.soft_key != nullptr) append(soft_keys_, *m.soft_key);
  append(values_, m.value_projection);
  count_ += keys.size(0);
}

std::optional<MonotonicStep> MonotonicStream::write(const Tensor& given) {
  const NoGrad off;
  const MonotonicHeads& m = *heads_;
  const Index E = m.query_projection.weight.size(1), H = m.heads_;
  check_defined(kName, given, "query");
  if (given.rank() != 1) {
    throw ShapeError(
        fmt::format("{}: a stream's query must be [{}], not {}", kName, E, describe(given)));
  }
  const Tensor query = reshape(given, Shape{1, 1, given.size(0)});
  check_rows(kName, "query", query, E, m.offset.dtype());
  if (count_ == 0) {
    if (!ended_) return std::nullopt;
    return MonotonicStep{reshape(m.out_proj(query * 0), Shape{E}),
                         std::vector<Index>(static_cast<std::size_t>(H), -1)};
  }
  const auto e = to(m.energies(query, keys_), DType::f64).array().to_vector<double>();  // [H, n]
  std::vector<Index> stops;
  for (Index h = 0; h < H; ++h) {
    Index j = at_[static_cast<std::size_t>(h)];
    const auto energy = [&] { return e[static_cast<std::size_t>(h * count_ + j)]; };
    for (; j < count_ && !(energy() > 0); ++j) {
      if (std::isnan(energy())) throw ValueError(fmt::format("{}: an energy is NaN", kName));
    }
    if (j == count_ && !ended_) return std::nullopt;
    stops.push_back(std::min(j, count_ - 1));
  }
  at_ = stops;
  Array seen = Array::zeros(Shape{1, H, 1, count_}, DType::boolean);
  for (Index h = 0; h < H; ++h) {
    bool* const row = seen.mutable_data<bool>() + h * count_;
    const Index stop = stops[static_cast<std::size_t>(h)];
    std::fill(row + (m.soft_key != nullptr ? 0 : stop), row + stop + 1, true);
  }
  const Tensor weights =
      m.soft_key != nullptr
          ? softmax(scaled_dot(m.split((*m.soft_query)(query)), soft_keys_), -1, Tensor(seen))
          : to(Tensor(seen), m.offset.dtype());
  const Tensor heads = matmul(weights, values_);  // [1, H, 1, D]
  return MonotonicStep{
      reshape(m.out_proj(reshape(transpose(heads, 1, 2), Shape{1, 1, E})), Shape{E}), stops};
}

}  // namespace heed::attention
