// A sum over pieces 0 .. count - 1 whose bits depend on `count` alone, whoever holds which of them.
// It is made of sums over spans of 2^j pieces that begin at multiples of 2^j, each of which is that
// of its two halves:
//
//   ((g0 + g1) + (g2 + g3)) + (g4 + g5)          6 pieces
//
// A process with pieces [first, last), one after the other, comes to the sums of a few spans; who
// has the spans of all, in order, comes to the whole.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "../core/shape.h"

namespace heed::distributed {

struct Span {
  Index begin = 0, size = 1;
  friend bool operator==(const Span&, const Span&) = default;
};

/// Which pieces of `count` process `rank` of `size` has: [first, second), as equal as can be.
inline std::pair<Index, Index> block_of(Index count, Index rank, Index size) {
  return {count * rank / size, count * (rank + 1) / size};
}

/// The spans that pieces [first, last) come to, in order.
inline std::vector<Span> spans_of(Index first, Index last) {
  std::vector<Span> out;
  for (Index m = first; m < last; ++m) {
    out.push_back({m, 1});
    while (out.size() > 1) {
      const Span right = out.back(), left = out[out.size() - 2];
      if (left.size != right.size || left.begin % (2 * left.size) != 0) break;
      out.pop_back();
      out.back().size *= 2;
    }
  }
  return out;
}

/// Sums of values of type T by add(T& left, T&& right); a value that is not there adds nothing.
template <class T, class Add>
class TreeSum {
 public:
  struct Node {
    Span span;
    std::optional<T> value;
  };

  explicit TreeSum(Add add) : add_(std::move(add)) {}

  /// Spans in order, without gaps.
  void push(const Span& span, std::optional<T> value) {
    nodes_.push_back({span, std::move(value)});
    while (nodes_.size() > 1) {
      Node &right = nodes_.back(), &left = nodes_[nodes_.size() - 2];
      if (left.span.size != right.span.size || left.span.begin % (2 * left.span.size) != 0) break;
      join(left.value, std::move(right.value));
      left.span.size *= 2;
      nodes_.pop_back();
    }
  }
  /// What there is so far.
  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Node>& nodes() { return nodes_; }
  /// Of all that there is; nothing is left.
  std::optional<T> total() {
    std::optional<T> out;
    for (Node& each : nodes_) join(out, std::move(each.value));
    nodes_.clear();
    return out;
  }

 private:
  void join(std::optional<T>& left, std::optional<T> right) {
    if (!right) return;
    if (left) {
      add_(*left, *std::move(right));
    } else {
      left = std::move(right);
    }
  }
  Add add_;
  std::vector<Node> nodes_;
};

}  // namespace heed::distributed
