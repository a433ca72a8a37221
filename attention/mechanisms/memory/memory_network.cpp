#include "memory_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/function.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../core/kernels/gemm/sparse_matrix.h"
#include "../../../core/traced.h"
#include "../../../nn/init.h"
#include "../../attend.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

using kernels::SparseMatrix;

constexpr const char* kName = "MemoryNetwork";

const MemoryNetworkOptions& checked(const MemoryNetworkOptions& o) {
  if (o.vocabulary <= 0 || o.width <= 0 || o.hops <= 0 || o.slots < 0) {
    throw ValueError(
        fmt::format("{}: vocabulary {}, width {} and hops {} must be positive, slots {} not "
                    "negative",
                    kName, o.vocabulary, o.width, o.hops, o.slots));
  }
  if (!(o.noise >= 0 && o.noise <= 1)) {
    throw ValueError(fmt::format("{}: a noise of {} is not in [0, 1]", kName, o.noise));
  }
  if (o.empty_memories && o.slots == 0) {
    throw ValueError(fmt::format("{}: without slots there are no empty memories", kName));
  }
  return o;
}

Index table_count(const MemoryNetworkOptions& o) {
  return o.tying == MemoryTying::adjacent ? Checked(kName, o.hops) + 1 : Index{2};
}

void check_numbers(const char* what, const char* shape, const Tensor& ids, Index rank) {
  check_defined(kName, ids, what);
  if (ids.rank() != rank) {
    throw ShapeError(fmt::format("{}: {} must be {}, not {}", kName, what, shape, describe(ids)));
  }
  if (ids.dtype() != DType::i64) {
    throw DTypeError(fmt::format("{}: {} must be i64, not {}", kName, what, describe(ids)));
  }
}

// The different words of a batch, and the place of each among them.
struct Words {
  std::vector<Index> distinct;
  std::vector<Index> place;  // of each word of the vocabulary that is among them

  explicit Words(Index vocabulary) : place(static_cast<std::size_t>(vocabulary), -1) {}
  void add(const char* what, const Index* ids, Index count) {
    const auto vocabulary = static_cast<Index>(place.size());
    for (Index i = 0; i < count; ++i) {
      const Index id = ids[i];
      if (id < -1 || id >= vocabulary) {
        throw IndexError(
            fmt::format("{}: word {} of the {} is not in [0, {})", kName, id, what, vocabulary));
      }
      if (id < 0 || place[static_cast<std::size_t>(id)] >= 0) continue;
      place[static_cast<std::size_t>(id)] = static_cast<Index>(distinct.size());
      distinct.push_back(id);
    }
  }
  Index count() const { return static_cast<Index>(distinct.size()); }
};

// A position encoding is l_kj = share_j + slope_k lean_j.
struct Position {
  double share, lean;
};

Position position_of(PositionEncoding encoding, double j, double J) {
  if (encoding == PositionEncoding::published) return {1 - j / J, 1 - 2 * j / J};
  return {1, (j - (J + 1) / 2) / J};
}

Tensor slopes_of(PositionEncoding encoding, Index width, DType dtype) {
  const auto d = static_cast<double>(width);
  std::vector<double> out;
  for (double k = 1; k <= d; ++k) {
    out.push_back(encoding == PositionEncoding::published ? -k / d : 4 * (k - (d + 1) / 2) / d);
  }
  return tensor(out, {width}, dtype);
}

// Sentences as rows over words: with U different ones and a table [U, d] of theirs,
//   sum_j l_j o x_j = sum_j share_j x_j + slope o sum_j lean_j x_j
// is a row of 2 U numbers times the table above itself times the slopes.
void add_sentence(SparseMatrix& rows, const Index* id, Index length, const Words& words,
                  PositionEncoding encoding) {
  const auto J = static_cast<double>(length - std::count(id, id + length, Index{-1}));
  double j = 0;
  for (Index t = 0; t < length; ++t) {
    if (id[t] < 0) continue;
    const Index u = words.place[static_cast<std::size_t>(id[t])];
    if (encoding == PositionEncoding::none) {
      rows.add(u, 1);
      continue;
    }
    const Position position = position_of(encoding, ++j, J);
    rows.add(u, position.share);
    rows.add(words.count() + u, position.lean);
  }
}

// How long before the question each of `count` sentences was, as if `empty` others stood at random
// places among them.
std::vector<Index> ages(Index count, Index empty, Generator& generator) {
  std::vector<Index> out;
  if (empty == 0) {
    for (Index i = 0; i < count; ++i) out.push_back(count - 1 - i);
    return out;
  }
  out = generator.permutation(count + empty);
  out.resize(static_cast<std::size_t>(count));
  std::sort(out.rbegin(), out.rend());
  return out;
}

// A batch as rows over its words, and behind them over ages: `M` for each story, one for a
// question.
struct Encoded {
  std::vector<Index> distinct;
  SparseMatrix memories, asks;
};

Encoded encode(const Tensor& story, const Tensor& question, const std::vector<Index>& counts,
               Index M, const MemoryNetworkOptions& o, double noise, Generator& random) {
  const Index B = story.size(0), N = story.size(1), J = story.size(2), L = question.size(1);
  const Array told_ids = story.array().contiguous(), asked_ids = question.array().contiguous();
  const Index* const told = told_ids.data<Index>();
  const Index* const asked = asked_ids.data<Index>();
  const auto count_of = [&](Index b) { return counts[static_cast<std::size_t>(b)]; };
  // Not even the order of the words used is to depend on what stands beyond the sentences.
  Words words(o.vocabulary);
  for (Index b = 0; b < B; ++b) words.add("story", told + b * N * J, count_of(b) * J);
  words.add("question", asked, B * L);

  const Index per_word = o.position_encoding == PositionEncoding::none ? 1 : 2;
  const Index bags = per_word * words.count();
  Encoded out{words.distinct, SparseMatrix(B * M, bags + o.slots, B * N * (per_word * J + 1)),
              SparseMatrix(B, bags, per_word * B * L)};
  for (Index b = 0; b < B; ++b) {
    const Index count = count_of(b);
    const auto most = static_cast<Index>(std::ceil(noise * static_cast<double>(count)));
    const bool noisy = o.slots > 0 && most > 0;
    const auto age = ages(count, noisy ? random.below(most + 1) : 0, random);
    for (Index i = 0; i < M; ++i) {
      if (i < count) {
        add_sentence(out.memories, told + (b * N + i) * J, J, words, o.position_encoding);
        if (o.slots > 0) {
          out.memories.add(bags + std::min(age[static_cast<std::size_t>(i)], o.slots - 1), 1);
        }
      }
      out.memories.end_row();
    }
    add_sentence(out.asks, asked + b * L, L, words, o.position_encoding);
    out.asks.end_row();
  }
  return out;
}

// Rows of sentences, and the same as columns: rows times x is linear in x, so that its derivative
// is a product with the other, of any order.
struct Rows {
  SparseMatrix rows, columns;
};

Tensor product(const std::shared_ptr<const Rows>& rows, bool back, const Tensor& x) {
  return record(kName, kernels::matmul(back ? rows->columns : rows->rows, x.array()), {x},
                [rows, back](const Tensor& g) { return product(rows, !back, g); });
}

Tensor product(SparseMatrix rows, const Tensor& x) {
  SparseMatrix columns = x.requires_grad() && recording() ? rows.transposed() : SparseMatrix();
  return product(std::make_shared<Rows>(Rows{std::move(rows), std::move(columns)}), false, x);
}

// By operators that can be followed: the sentences ids [.., J], -1 where there is no word, embedded
// by a table [V, d] -> [.., d].
Tensor followed_bags(const Tensor& table, const Tensor& ids, PositionEncoding encoding) {
  const DType dtype = table.dtype();
  const Tensor real = to(ids >= 0, dtype);
  const Tensor x = embedding(table, maximum(ids, tensor(Index{0})));  // [.., J, d]
  Tensor shares = unsqueeze(real, -1);
  if (encoding != PositionEncoding::none) {
    const Tensor j = cumsum(real, -1);
    const Tensor J = maximum(sum(real, {-1}, true), 1);
    const bool published = encoding == PositionEncoding::published;
    const Tensor share = published ? 1 - j / J : ones(Shape{1}, dtype);
    const Tensor lean = published ? 1 - 2 * j / J : (j - (J + 1) / 2) / J;
    const Tensor slopes = slopes_of(encoding, table.size(1), dtype);
    shares = shares * (unsqueeze(share, -1) + unsqueeze(lean, -1) * slopes);
  }
  return sum(shares * x, {-2});
}

// And a story's memories [B, M, d], of `counts` sentences i64 [B, 1], with their times.
Tensor followed_memories(const Tensor& table, const Tensor& times, const Tensor& story,
                         const Tensor& counts, Index M, PositionEncoding encoding) {
  const Index N = story.size(1);
  const Tensor places = arange(M);
  const Tensor there = unsqueeze(places < counts, -1);  // [B, M, 1]
  Tensor bags = followed_bags(table, story, encoding);
  if (M > N) bags = pad(bags, {0, 0, 0, M - N});
  if (times.defined()) {
    const Tensor ages = maximum(counts - 1 - places, tensor(Index{0}));
    bags = bags + embedding(times, minimum(ages, tensor(times.size(0) - 1)));
  }
  return where(there, bags, 0);
}

}  // namespace

MemoryNetwork::MemoryNetwork(const MemoryNetworkOptions& options)
    : options_(checked(options)),
      words(parameter("words", zeros({table_count(options), options.vocabulary, options.width},
                                     options.dtype))),
      times(parameter("times", options.slots == 0
                                   ? Tensor()
                                   : zeros({table_count(options), options.slots, options.width},
                                           options.dtype))),
      asking(parameter("asking", options.tying == MemoryTying::adjacent
                                     ? Tensor()
                                     : zeros({options.vocabulary, options.width}, options.dtype))),
      answer(parameter("answer", options.tying == MemoryTying::adjacent
                                     ? Tensor()
                                     : zeros({options.vocabulary, options.width}, options.dtype))),
      turn(parameter("turn", options.tying == MemoryTying::adjacent
                                 ? Tensor()
                                 : zeros({options.width, options.width}, options.dtype))) {
  for (const Tensor& tensor : parameters()) nn::normal_(tensor, 0, 0.1);
}

MemoryNetworkOutput MemoryNetwork::operator()(const Tensor& story, const Tensor& question,
                                              const std::vector<Index>& sentences,
                                              bool need_weights, Generator* generator) const {
  const Scope scope(*this);
  const MemoryNetworkOptions& o = options_;
  check_numbers("story", "[B, N, J]", story, 3);
  check_numbers("question", "[B, L]", question, 2);
  const Index B = story.size(0), N = story.size(1), d = o.width;
  if (question.size(0) != B) {
    throw ShapeError(fmt::format("{}: {} stories and {} questions", kName, B, question.size(0)));
  }
  if (!sentences.empty() && static_cast<Index>(sentences.size()) != B) {
    throw ShapeError(
        fmt::format("{}: {} numbers of sentences for {} stories", kName, sentences.size(), B));
  }
  Mask real;  // sentences among the N
  if (!sentences.empty()) real = named(kName, [&] { return Mask::lengths(sentences, N); });
  std::vector<Index> counts = sentences;
  if (counts.empty()) counts.assign(static_cast<std::size_t>(B), N);
  // Without a softmax empty memories add nothing.
  const bool empties = o.empty_memories && !linear_;
  const Index M = empties ? std::max(N, o.slots) : N;
  std::vector<Index> seen = counts;
  for (Index& count : seen) count = empties ? std::max(count, o.slots) : count;
  const bool hidden = std::any_of(seen.begin(), seen.end(), [&](Index n) { return n < M; });
  Mask mask = hidden ? Mask::lengths(seen, M) : Mask();
  if (traced()) {
    const Tensor told =
        sentences.empty() ? full(Shape{1, 1}, N) : reshape(Tensor(Array::from(sentences)), {B, 1});
    const Tensor looked = empties ? maximum(told, tensor(o.slots)) : told;
    if (!sentences.empty()) mask = Mask(unsqueeze(arange(M) < looked, 1));
    std::vector<Tensor> memories;
    for (Index i = 0; i < words.size(0); ++i) {
      memories.push_back(followed_memories(select(words, 0, i),
                                           o.slots > 0 ? select(times, 0, i) : Tensor(), story,
                                           told, M, o.position_encoding));
    }
    const Tensor first = o.tying == MemoryTying::adjacent ? select(words, 0, 0) : asking;
    MemoryNetworkOutput out = hops(memories, followed_bags(first, question, o.position_encoding),
                                   real, mask, N, need_weights);
    out.logits = forwarded(out.logits);
    return out;
  }

  Encoded batch = encode(story, question, counts, M, o, training() ? o.noise : 0,
                         generator != nullptr ? *generator : default_generator());

  const bool positions = o.position_encoding != PositionEncoding::none;
  const Tensor distinct(Array::from(batch.distinct));
  const auto bag_table = [&](const Tensor& all) {  // [.., V, d] -> [.., bags, d]
    Tensor own = index_select(all, -2, distinct);
    if (!positions) return own;
    return concat({own, own * slopes_of(o.position_encoding, d, words.dtype())}, -2);
  };
  // All tables side by side, so that one product embeds the sentences for all hops.
  Tensor table = bag_table(words);
  if (o.slots > 0) table = concat({table, times}, 1);
  table = reshape(transpose(table, 0, 1), {batch.memories.columns(), words.size(0) * d});
  std::vector<Tensor> memories;
  for (const Tensor& each : split(product(std::move(batch.memories), table), d, 1)) {
    memories.push_back(reshape(each, {B, M, d}));
  }
  const bool adjacent = o.tying == MemoryTying::adjacent;
  const Tensor u =
      product(std::move(batch.asks), bag_table(adjacent ? select(words, 0, 0) : asking));
  MemoryNetworkOutput out = hops(memories, u, real, mask, N, need_weights);
  out.logits = forwarded(out.logits);
  return out;
}

MemoryNetworkOutput MemoryNetwork::hops(const std::vector<Tensor>& memories, Tensor u,
                                        const Mask& real, const Mask& mask, Index N,
                                        bool need_weights) const {
  const MemoryNetworkOptions& o = options_;
  const bool adjacent = o.tying == MemoryTying::adjacent;
  const Index B = u.size(0);
  Tensor m = memories[0], c;
  MemoryNetworkOutput out;
  static const Dot dot;
  const bool blanked = linear_ || (o.empty_memories && need_weights);
  const Tensor may = blanked && N > 0 ? real.tensor({B, N}, kName) : Tensor();
  for (Index hop = 0; hop < o.hops; ++hop) {
    if (adjacent || hop == 0) c = memories[static_cast<std::size_t>(hop) + 1];
    Attended read;
    if (linear_) {
      Tensor p = squeeze(matmul(m, unsqueeze(u, -1)), -1);
      if (may.defined()) p = where(may, p, 0);
      read = {squeeze(matmul(unsqueeze(p, 1), c), 1), p};
    } else {
      read = attend(dot, unsqueeze(u, 1), m, c, {.mask = mask, .need_weights = need_weights});
      read.context = squeeze(read.context, 1);
      if (need_weights) {
        read.weights = narrow(squeeze(read.weights, 1), 1, 0, N);
        if (may.defined()) read.weights = where(may, read.weights, 0);
      }
    }
    u = (adjacent ? u : heed::linear(u, turn)) + read.context;
    if (need_weights) out.weights.push_back(read.weights);
    if (adjacent) m = c;
  }
  out.logits = heed::linear(u, adjacent ? select(words, 0, o.hops) : answer);
  return out;
}

}  // namespace heed::attention
