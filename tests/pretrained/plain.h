// A Transformer's parts in plain loops over doubles, by which families' models are judged: nothing
// of the library is in them but the arrays they read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "../../core/array.h"

namespace heed::pretrained::plain {

using Row = std::vector<double>;
using Rows = std::vector<Row>;  // [T][width]

/// Parameters by the names of those who wrote them.
struct Weights {
  std::map<std::string, Array> arrays;
  bool has(const std::string& name) const { return arrays.contains(name); }
  Rows matrix(const std::string& name) const;
  Row vector(const std::string& name) const;
};

/// x W^T + b with W, b of name.weight, name.bias; b may be missing.
Rows linear(const Weights& weights, const std::string& name, const Rows& x);
/// x W + b: GPT-2's Conv1D.
Rows conv1d(const Weights& weights, const std::string& name, const Rows& x);
Rows layer_norm(const Weights& weights, const std::string& name, const Rows& x, double eps);
Rows rms_norm(const Weights& weights, const std::string& name, const Rows& x, double eps);
Rows times(const Rows& x, double by);
Rows plus(const Rows& x, const Rows& y);
Rows products(const Rows& x, const Rows& y);  // element by element
Rows map(const Rows& x, double (*f)(double));
/// The rows of these numbers.
Rows rows(const Rows& table, const std::vector<Index>& ids);
Rows columns(const Rows& x, Index first, Index count);

double relu(double x);
double gelu(double x);
double gelu_tanh(double x);
double silu(double x);

struct Heads {
  Index heads, kv_heads;
  double scale;
  std::function<bool(Index i, Index j)> allowed = [](Index, Index) { return true; };
  std::function<double(Index head, Index i, Index j)> bias = [](Index, Index, Index) {
    return 0.0;
  };
};
/// q [T][H D], k and v [S][kv D] -> [T][H D].
Rows attend(const Rows& q, const Rows& k, const Rows& v, const Heads& heads);
/// Each head of x, its first half beside its second, turned by t w_i.
Rows turned(const Rows& x, Index heads, const Row& frequencies);
/// base^(-2i / width).
Row frequencies(Index width, double base);
/// The first `count` places: sines in the first half, cosines in the other.
Rows sinusoids(Index count, Index width);
/// The number of T5's bucket of a key `distance` behind its query.
Index t5_bucket(Index distance, bool bidirectional, Index buckets, Index max_distance);

}  // namespace heed::pretrained::plain
