#include "memory_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/index.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/init.h"
#include "../attend.h"
#include "named.h"

namespace heed::attention {
namespace {

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
  return o;
}

Index table_count(const MemoryNetworkOptions& o) {
  return o.tying == MemoryTying::adjacent ? o.hops + 1 : 2;
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
  void add(const char* what, const std::vector<Index>& ids) {
    const auto vocabulary = static_cast<Index>(place.size());
    for (const Index id : ids) {
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

// Sentences as rows over words: with U different ones and a table [U, d] of theirs,
//   sum_j l_j o x_j = sum_j (1 - j/J) x_j - (k/d) sum_j (1 - 2j/J) x_j
// is [rows, 2 U] times the table above itself times -k/d. After these stand `extra` columns.
Array sentence_rows(const std::vector<Index>& ids, Index rows, const Words& words, bool positions,
                    Index extra) {
  const Index U = words.count(), columns = (positions ? 2 : 1) * U + extra;
  Array out = Array::zeros({rows, columns}, DType::f64);
  double* row = out.mutable_data<double>();
  const Index length = rows == 0 ? 0 : static_cast<Index>(ids.size()) / rows;
  const Index* id = ids.data();
  for (Index r = 0; r < rows; ++r, row += columns, id += length) {
    const auto J = static_cast<double>(length - std::count(id, id + length, Index{-1}));
    double j = 0;
    for (Index t = 0; t < length; ++t) {
      if (id[t] < 0) continue;
      ++j;
      const Index u = words.place[static_cast<std::size_t>(id[t])];
      row[u] += positions ? 1 - j / J : 1;
      if (positions) row[U + u] += 1 - 2 * j / J;
    }
  }
  return out;
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

MemoryAnswer MemoryNetwork::operator()(const Tensor& story, const Tensor& question,
                                       const std::vector<Index>& sentences, bool need_weights,
                                       Generator* generator) const {
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
  Mask mask;
  if (!sentences.empty()) mask = named(kName, [&] { return Mask::lengths(sentences, N); });

  const auto count_of = [&](Index b) {
    return sentences.empty() ? N : sentences[static_cast<std::size_t>(b)];
  };
  auto told = story.array().to_vector<Index>();
  const auto asked = question.array().to_vector<Index>();
  for (Index b = 0, row = N * story.size(2); b < B; ++b) {
    // Not even the order of the words used is to depend on what stands beyond.
    std::fill(told.begin() + b * row + count_of(b) * story.size(2), told.begin() + (b + 1) * row,
              Index{-1});
  }
  Words used(o.vocabulary);
  used.add("story", told);
  used.add("question", asked);
  const Index U = used.count(), bags = (o.position_encoding ? 2 : 1) * U;
  Array rows = sentence_rows(told, B * N, used, o.position_encoding, o.slots);
  Generator& random = generator != nullptr ? *generator : default_generator();
  for (Index b = 0; b < B && o.slots > 0; ++b) {
    const Index count = count_of(b);
    const auto most = static_cast<Index>(std::ceil(o.noise * static_cast<double>(count)));
    const Index empty = training() && most > 0 ? random.below(most + 1) : 0;
    double* row = rows.mutable_data<double>() + b * N * (bags + o.slots) + bags;
    for (const Index age : ages(count, empty, random)) {
      row[std::min(age, o.slots - 1)] = 1;
      row += bags + o.slots;
    }
  }
  const DType dtype = words.dtype();
  const Tensor memories(rows.to(dtype));  // [B N, bags + slots]
  const Tensor asks(sentence_rows(asked, B, used, o.position_encoding, 0).to(dtype));

  const Tensor distinct(Array::from(used.distinct));
  Tensor slope;  // -k/d, k = 1 .. d
  if (o.position_encoding) {
    std::vector<double> k;
    for (Index i = 1; i <= d; ++i) k.push_back(-static_cast<double>(i) / static_cast<double>(d));
    slope = tensor(k, {d}, dtype);
  }
  const auto table = [&](const Tensor& all) {
    const Tensor own = index_select(all, 0, distinct);  // [U, d]
    return o.position_encoding ? concat({own, own * slope}) : own;
  };
  const auto embed = [&](Index i) {  // [B, N, d]
    Tensor from = table(select(words, 0, i));
    if (o.slots > 0) from = concat({from, select(times, 0, i)});
    return reshape(matmul(memories, from), {B, N, d});
  };

  const bool adjacent = o.tying == MemoryTying::adjacent;
  Tensor u = matmul(asks, table(adjacent ? select(words, 0, 0) : asking));  // [B, d]
  Tensor m = embed(0), c;
  MemoryAnswer out;
  static const Dot dot;
  const Tensor may = linear_ && N > 0 ? mask.tensor({B, N}, kName) : Tensor();
  for (Index hop = 0; hop < o.hops; ++hop) {
    if (adjacent || hop == 0) c = embed(hop + 1);
    Attended read;
    if (linear_) {
      Tensor p = squeeze(matmul(m, unsqueeze(u, -1)), -1);
      if (may.defined()) p = where(may, p, 0);
      read = {squeeze(matmul(unsqueeze(p, 1), c), 1), p};
    } else {
      read = attend(unsqueeze(u, 1), m, c,
                    {.score = &dot, .mask = mask, .need_weights = need_weights});
      read.context = squeeze(read.context, 1);
      if (need_weights) read.weights = squeeze(read.weights, 1);
    }
    u = (adjacent ? u : heed::linear(u, turn)) + read.context;
    if (need_weights) out.weights.push_back(read.weights);
    if (adjacent) m = c;
  }
  out.logits = forwarded(heed::linear(u, adjacent ? select(words, 0, o.hops) : answer));
  return out;
}

}  // namespace heed::attention
