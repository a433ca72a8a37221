#include "beam_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/error.h"
#include "../core/kernels/elementwise/elementwise_simd.h"
#include "../core/kernels/elementwise/iterate.h"
#include "../core/kernels/reduce/reduce_simd.h"
#include "../core/parallel.h"

namespace heed::nn::detail {
namespace {

using kernels::Binary, kernels::Reduce, kernels::Unary;
namespace simd = kernels::simd;

constexpr Index kBlock = 64;
constexpr Index kPiece = 512;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
double sum_exp(const T* x, Index words, T top) {
  T buffer[kPiece];
  double total = 0;
  for (Index first = 0; first < words; first += kPiece) {
    const std::size_t n = at(std::min(kPiece, words - first));
    simd::elements<T>().binary(Binary::sub, x + first, true, &top, false, buffer, n);
    simd::elements<T>().unary(Unary::exp, buffer, buffer, n);
    total += simd::reductions<T>().sum(buffer, 1, n);
  }
  return total;
}

std::size_t blocks_of(Index words) { return at((words - 1) / kBlock + 1); }

template <class T>
void check_top(T top, Index step, Index row) {
  if (std::isfinite(top)) return;
  throw ValueError(fmt::format(
      "beam_search: scores must be below infinity, at least one finite: the greatest of row {} "
      "at step {} is {}",
      row, step, top));
}

}  // namespace

Choices::Choices(Index end, const std::vector<Index>& forbidden, Index most, Index words)
    : end_(end), words_(words), most_(std::min(most, words)), writable_(at(words), 1) {
  for (const Index word : forbidden) writable_[at(word)] = 0;
  may_end_ = writable_[at(end)] != 0;
  writable_[at(end)] = 0;
}

template <class F>
void Choices::for_rows(const Array& scores, const F& f) const {
  const Array dense = scores.contiguous();
  visit_floating("beam_search", dense.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = dense.data<T>();
    const Index grain = std::max<Index>(1, kernels::kGrain / (8 * words_));
    parallel_for(dense.size(0), grain, [&](Index begin, Index end) {
      std::vector<T> tops(blocks_of(words_));
      for (Index row = begin; row < end; ++row) f(from + row * words_, tops, row);
    });
  });
}

void Choices::check(const Array& scores, Index step) {
  open_.assign(at(scores.size(0)), 0);
  for_rows(scores, [&](const auto* x, auto& tops, Index row) {
    check_top(top_of(x, tops), step, row);
    for (Index word = 0; word < words_ && open_[at(row)] == 0; ++word) {
      const bool may = writable_[at(word)] != 0 || (word == end_ && may_end_);
      open_[at(row)] = may && std::isfinite(x[word]) ? 1 : 0;
    }
  });
}

void Choices::choose(const Array& scores, Index step, bool checked) {
  const Index rows = scores.size(0);
  counts_.resize(at(rows));
  chosen_.resize(at(checked_mul("beam_search", rows, most_ + 1)));
  for_rows(scores,
           [&](const auto* x, auto& tops, Index row) { choose_row(x, tops, step, row, checked); });
}

bool Choices::any_open(Index first, Index last) const {
  return std::any_of(open_.begin() + first, open_.begin() + last,
                     [](char open) { return open != 0; });
}

void Choices::append(Index first, Index last, const std::vector<double>& log_p,
                     std::vector<Candidate>& out) const {
  for (Index row = first; row < last; ++row) {
    const Candidate* const from = chosen_.data() + row * (most_ + 1);
    for (Index i = 0; i < counts_[at(row)]; ++i) {
      out.push_back({log_p[at(row)] + from[i].log_p, row, from[i].word});
    }
  }
}

// The greatest of each block comes first, so that few blocks need a second look.
template <class T>
T Choices::top_of(const T* x, std::vector<T>& tops) const {
  const Index whole = words_ / kBlock, rest = words_ % kBlock;
  simd::reductions<T>().reduce_rows(Reduce::max, x, kBlock, kBlock, tops.data(), 1, whole);
  if (rest > 0)
    tops.back() = simd::reductions<T>().reduce(Reduce::max, x + whole * kBlock, 1, at(rest));
  return simd::reductions<T>().reduce(Reduce::max, tops.data(), 1, tops.size());
}

template <class T>
void Choices::choose_row(const T* x, std::vector<T>& tops, Index step, Index row, bool checked) {
  const T top = top_of(x, tops);
  if (checked && top == -std::numeric_limits<T>::infinity()) {
    counts_[at(row)] = 0;
    return;
  }
  check_top(top, step, row);
  Candidate* const out = chosen_.data() + row * (most_ + 1);
  Index count = 0;
  if (may_end_ && std::isfinite(x[end_])) {
    out[count++] = {static_cast<double>(x[end_]), row, end_};
  }
  count += likeliest(x, tops, row, out + count);
  const double norm = static_cast<double>(top) + std::log(sum_exp(x, words_, top));
  for (Index i = 0; i < count; ++i) out[i].log_p -= norm;
  counts_[at(row)] = count;
}

template <class T>
Index Choices::likeliest(const T* x, const std::vector<T>& tops, Index row, Candidate* out) const {
  Index count = 0;
  T bar = -std::numeric_limits<T>::infinity();  // a word must lie above to be taken
  for (Index first = 0; first < words_; first += kBlock) {
    if (tops[at(first / kBlock)] <= bar) continue;
    for (Index i = first; i < std::min(first + kBlock, words_); ++i) {
      if (x[i] <= bar || !writable_[at(i)]) continue;
      Index place = count < most_ ? count++ : most_ - 1;
      const auto value = static_cast<double>(x[i]);
      for (; place > 0 && out[place - 1].log_p < value; --place) out[place] = out[place - 1];
      out[place] = {value, row, i};
      if (count == most_) bar = static_cast<T>(out[most_ - 1].log_p);
    }
  }
  return count;
}

}  // namespace heed::nn::detail
