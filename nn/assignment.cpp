#include "assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/error.h"

namespace heed::nn {
namespace {

constexpr Index kNobody = -1;

// Rows n <= columns m. Prices u of rows and v of columns keep every cost[i, j] - u_i - v_j at or
// above 0, and at 0 for those that are matched; each row then joins by the shortest path to a free
// column, along which those before change their columns.
class Matching {
 public:
  Matching(const std::vector<double>& cost, Index n, Index m)
      : cost_(cost),
        m_(m),
        u_(static_cast<std::size_t>(n)),
        v_(static_cast<std::size_t>(m)),
        row_of_(static_cast<std::size_t>(m), kNobody) {
    for (Index row = 0; row < n; ++row) join(row);
  }
  /// Of each column its row, or kNobody.
  const std::vector<Index>& rows() const { return row_of_; }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void join(Index row) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::vector<double> far(at(m_), kFar);       // the shortest path to each column
    std::vector<Index> before(at(m_), kNobody);  // the column before it on that path
    std::vector<bool> reached(at(m_), false);
    Index column = kNobody, from = row;
    double length = 0;
    do {
      Index next = kNobody;
      for (Index j = 0; j < m_; ++j) {
        if (reached[at(j)]) continue;
        const double path = length + cost_[at(from * m_ + j)] - u_[at(from)] - v_[at(j)];
        if (path < far[at(j)]) {
          far[at(j)] = path;
          before[at(j)] = column;
        }
        if (next == kNobody || far[at(j)] < far[at(next)]) next = j;
      }
      column = next;
      length = far[at(column)];
      reached[at(column)] = true;
      from = row_of_[at(column)];
    } while (from != kNobody);
    u_[at(row)] += length;
    for (Index j = 0; j < m_; ++j) {
      if (!reached[at(j)] || j == column) continue;
      u_[at(row_of_[at(j)])] += length - far[at(j)];
      v_[at(j)] -= length - far[at(j)];
    }
    for (; before[at(column)] != kNobody; column = before[at(column)]) {
      row_of_[at(column)] = row_of_[at(before[at(column)])];
    }
    row_of_[at(column)] = row;
  }

  const std::vector<double>& cost_;
  Index m_;
  std::vector<double> u_, v_;
  std::vector<Index> row_of_;
};

}  // namespace

Assignment assign(const Array& cost) {
  if (cost.rank() != 2) {
    throw ShapeError("assign: cost must be [N, M], not " + describe(cost));
  }
  if (cost.dtype() != DType::f32 && cost.dtype() != DType::f64) {
    throw DTypeError("assign: takes f32 or f64, not " + std::string(name(cost.dtype())));
  }
  const bool turned = cost.size(0) > cost.size(1);
  const Array rows = (turned ? cost.transpose(0, 1) : cost).to(DType::f64).contiguous();
  const auto numbers = rows.to_vector<double>();
  const auto wrong =
      std::find_if(numbers.begin(), numbers.end(), [](double x) { return !std::isfinite(x); });
  if (wrong != numbers.end()) {
    throw ValueError(fmt::format("assign: a cost of {} is not finite", *wrong));
  }
  const Index m = rows.size(1);
  const Matching matching(numbers, rows.size(0), m);
  std::vector<std::pair<Index, Index>> pairs;
  Assignment out;
  for (Index column = 0; column < m; ++column) {
    const Index row = matching.rows()[static_cast<std::size_t>(column)];
    if (row == kNobody) continue;
    pairs.emplace_back(turned ? column : row, turned ? row : column);
    out.cost += numbers[static_cast<std::size_t>(row * m + column)];
  }
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [row, column] : pairs) {
    out.rows.push_back(row);
    out.columns.push_back(column);
  }
  return out;
}

}  // namespace heed::nn
