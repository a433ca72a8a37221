#include "../../../../autograd/ops/attention/attention.h"

#include <cmath>
#include <limits>

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// Shapes and terms of a call; a mask of rank 0 is none, neither is an empty list of lengths.
struct Form {
  const char* name;
  Sizes q = {3, 2}, k = {5, 2}, v = {5, 3};
  double scale = 0.7;
  Index left = -1, right = -1;
  std::vector<Index> lengths = {};
  Block allowed = Block({}, std::vector<double>{1});
  Sizes bias = {};

  AttentionOptions options(const Tensor& with_bias) const {
    AttentionOptions out{scale, left, right, {}, {}, with_bias};
    if (!lengths.empty()) out.lengths = ids(lengths);
    if (allowed.rank() > 0) out.allowed = to_tensor(allowed, DType::boolean);
    return out;
  }

  bool sees(const Place& lead, Index i, Index j) const {
    const Index at = i + k[k.size() - 2] - q[q.size() - 2];
    Place place = lead;
    place.insert(place.end(), {i, j});
    return (left < 0 || j >= at - left) && (right < 0 || j <= at + right) &&
           (lengths.empty() || j < lengths[static_cast<std::size_t>(lead[0])]) &&
           allowed(place) != 0;
  }
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {.name = "plain"},
      {.name = "one of each", .q = {1, 1}, .k = {1, 1}, .v = {1, 2}},
      {.name = "bias", .bias = {3, 5}},
      {.name = "bias of the keys", .q = {2, 3, 2}, .bias = {5}},
      {.name = "bias of the heads, causal",
       .q = {2, 2, 3, 2},
       .k = {2, 3, 2},
       .v = {2, 3, 2},
       .right = 0,
       .bias = {2, 1, 1}},
      {.name = "causal, fewer queries", .right = 0},
      {.name = "causal, more queries than keys", .k = {2, 2}, .v = {2, 3}, .right = 0},
      {.name = "window", .q = {5, 2}, .left = 1, .right = 2},
      {.name = "lengths", .q = {3, 2, 2}, .k = {3, 5, 2}, .v = {3, 5, 1}, .lengths = {2, 0, 5}},
      {.name = "allowed",
       .allowed = Block({3, 5}, std::vector<double>{1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1})},
      {.name = "grouped heads", .q = {2, 3, 2, 2}, .k = {2, 1, 5, 2}, .v = {2, 1, 5, 3}},
      {.name = "queries shared", .q = {3, 2}, .k = {2, 5, 2}, .v = {2, 5, 3}},
      {.name = "values wider spread", .q = {3, 2}, .k = {5, 2}, .v = {2, 5, 3}},
      {.name = "all terms",
       .q = {2, 3, 2},
       .k = {2, 5, 2},
       .v = {5, 3},
       .left = 2,
       .right = 0,
       .lengths = {4, 5},
       .allowed = Block({1, 5}, std::vector<double>{1, 1, 0, 1, 1}),
       .bias = {2, 1, 5}},
      {.name = "no queries", .q = {0, 2}},
      {.name = "no keys", .k = {0, 2}, .v = {0, 3}},
      {.name = "no batch", .q = {0, 3, 2}}};
  return all;
}

using Score = std::function<double(const Place& query, const Place& key)>;

Place joined(Place lead, Index i, Index d) {
  lead.insert(lead.end(), {i, d});
  return lead;
}

// Row by row, key by key.
Block in_loops(const Form& form, const Sizes& lead, const Score& score, const Block& v,
               const Block* bias) {
  const Index K = form.k[form.k.size() - 2];
  Sizes shape = lead;
  shape.insert(shape.end(), {form.q[form.q.size() - 2], form.v.back()});
  return Block(shape, [&](const Place& p) {
    const Place from(p.begin(), p.end() - 2);
    const Index i = p[p.size() - 2];
    double total = 0, out = 0;
    for (Index j = 0; j < K; ++j) {
      if (!form.sees(from, i, j)) continue;
      const double e = form.scale * score(joined(from, i, 0), joined(from, j, 0)) +
                       (bias ? (*bias)(joined(from, i, j)) : 0);
      total += std::exp(e);
      out += std::exp(e) * v(joined(from, j, p.back()));
    }
    return total > 0 ? out / total : 0;
  });
}

Sizes lead_of(const Form& form) {
  Sizes lead;
  for (const Sizes* shape : {&form.q, &form.k, &form.v}) {
    const Sizes own(shape->begin(), shape->end() - 2);
    const std::size_t more = own.size() > lead.size() ? own.size() - lead.size() : 0;
    lead.insert(lead.begin(), more, 1);
    for (std::size_t i = 0; i < own.size(); ++i) {
      Index& size = lead[lead.size() - own.size() + i];
      size = size == 1 ? own[i] : size;
    }
  }
  return lead;
}

double at(const Block& x, Place place, Index d) {
  place.back() = d;
  return x(place);
}

Sample dot_sample(const Form& form) {
  std::vector<Input> inputs = {in(form.q), in(form.k), in(form.v)};
  const bool biased = !form.bias.empty();
  if (biased) inputs.push_back(in(form.bias));
  return sample(
      form.name, inputs,
      [=](X x) { return dot_attention(x[0], x[1], x[2], form.options(biased ? x[3] : Tensor())); },
      [=](B x) {
        const Score score = [&](const Place& query, const Place& key) {
          double sum = 0;
          for (Index d = 0; d < form.q.back(); ++d) sum += at(x[0], query, d) * at(x[1], key, d);
          return sum;
        };
        return in_loops(form, lead_of(form), score, x[2], biased ? &x[3] : nullptr);
      });
}

Sample additive_sample(const Form& form) {
  std::vector<Input> inputs = {in(form.q), in(form.k), in({form.q.back()}), in(form.v)};
  const bool biased = !form.bias.empty();
  if (biased) inputs.push_back(in(form.bias));
  return sample(
      form.name, inputs,
      [=](X x) {
        return additive_attention(x[0], x[1], x[2], x[3], form.options(biased ? x[4] : Tensor()));
      },
      [=](B x) {
        const Score score = [&](const Place& query, const Place& key) {
          double sum = 0;
          for (Index d = 0; d < form.q.back(); ++d) {
            sum += x[2]({d}) * std::tanh(at(x[0], query, d) + at(x[1], key, d));
          }
          return sum;
        };
        return in_loops(form, lead_of(form), score, x[3], biased ? &x[4] : nullptr);
      });
}

// The same bad calls of either operator: call(q, k, v, options).
template <class Call>
std::vector<BadCall> bad_of(const std::string& op, Call call) {
  const auto with = [call](const AttentionOptions& options) {
    return [=] { call(of(2, 3, 7), of(2, 5, 7), of(2, 5, 4), options); };
  };
  return {
      BAD(GradError, op + ": q is undefined", call(Tensor(), of(5, 7), of(5, 4), {})),
      BAD(GradError, op + ": k is undefined", call(of(3, 7), Tensor(), of(5, 4), {})),
      BAD(GradError, op + ": v is undefined", call(of(3, 7), of(5, 7), Tensor(), {})),
      BAD(DTypeError, op + ": takes f32 or f64, not i64",
          call(of<DType::i64>(3, 7), of<DType::i64>(5, 7), of<DType::i64>(5, 4), {})),
      BAD(DTypeError, op + ": dtypes differ: q is f32[3, 7], k is f64[5, 7]",
          call(of(3, 7), of<DType::f64>(5, 7), of(5, 4), {})),
      BAD(DTypeError, op + ": dtypes differ: q is f32[3, 7], v is f64[5, 4]",
          call(of(3, 7), of(5, 7), of<DType::f64>(5, 4), {})),
      BAD(ShapeError, op + ": q needs rank 2 or more, not f32[7]",
          call(of(7), of(5, 7), of(5, 4), {})),
      BAD(ShapeError, op + ": widths differ: q is f32[3, 7], k is f32[5, 6]",
          call(of(3, 7), of(5, 6), of(5, 4), {})),
      BAD(ShapeError, op + ": numbers of keys differ: k is f32[5, 7], v is f32[4, 4]",
          call(of(3, 7), of(5, 7), of(4, 4), {})),
      BAD(ShapeError, op + ": shapes [2] and [3] do not broadcast",
          call(of(2, 3, 7), of(3, 5, 7), of(5, 4), {})),
      bad<ValueError>(op + ": scale nan is no number",
                      with({.scale = std::numeric_limits<double>::quiet_NaN()})),
      bad<ValueError>(op + ": window of -2 to the left and 3 to the right",
                      with({.left = -2, .right = 3})),
      bad<DTypeError>(op + ": allowed must be bool, not f32[3, 5]", with({.allowed = of(3, 5)})),
      bad<ShapeError>(op + ": allowed bool[3, 4] does not broadcast to the scores [2, 3, 5]",
                      with({.allowed = of<DType::boolean>(3, 4)})),
      bad<DTypeError>(op + ": bias must be f32, not f64[3, 5]",
                      with({.bias = of<DType::f64>(3, 5)})),
      bad<ShapeError>(op + ": bias f32[7, 2, 3, 5] does not broadcast to the scores [2, 3, 5]",
                      with({.bias = of(7, 2, 3, 5)})),
      bad<DTypeError>(op + ": lengths must be i64, not f32[2]", with({.lengths = of(2)})),
      bad<ShapeError>(op + ": lengths i64[3] do not begin the leading axes [2]",
                      with({.lengths = ids(1, 2, 3)})),
      bad<ValueError>(op + ": length 6 at 1 is not in [0, 5]", with({.lengths = ids(5, 6)})),
      bad<ValueError>(op + ": length -1 at 0 is not in [0, 5]", with({.lengths = ids(-1, 5)})),
  };
}

Row dot_row() {
  Row row{Op::dot_attention, {}, {}};
  for (const Form& form : forms()) row.samples.push_back(dot_sample(form));
  row.bad_calls = bad_of("dot_attention",
                         [](const Tensor& q, const Tensor& k, const Tensor& v,
                            const AttentionOptions& options) { dot_attention(q, k, v, options); });
  return row;
}

Row additive_row() {
  Row row{Op::additive_attention, {}, {}};
  for (const Form& form : forms()) row.samples.push_back(additive_sample(form));
  row.bad_calls = bad_of("additive_attention", [](const Tensor& q, const Tensor& k, const Tensor& v,
                                                  const AttentionOptions& options) {
    additive_attention(q, k, of(7), v, options);
  });
  const auto more = [&](const BadCall& call) { row.bad_calls.push_back(call); };
  more(BAD(GradError, "additive_attention: score_vector is undefined",
           additive_attention(of(3, 7), of(5, 7), Tensor(), of(5, 4))));
  more(BAD(ShapeError, "additive_attention: the score vector must be f32[7], not f32[5]",
           additive_attention(of(3, 7), of(5, 7), of(5), of(5, 4))));
  return row;
}

}  // namespace

std::vector<Row> attention_rows() { return {dot_row(), additive_row()}; }

}  // namespace heed::table
