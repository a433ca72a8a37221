#include "believed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../core/error.h"

namespace heed::train {
namespace {

struct Rows {
  Index B, N;
  std::vector<double> values;
};

Rows rows_of(const char* op, const Array& map) {
  if (map.dtype() != DType::f32 && map.dtype() != DType::f64) {
    throw DTypeError(fmt::format("{}: the map must be f32 or f64, not {}", op, name(map.dtype())));
  }
  if (map.rank() != 2) {
    throw ShapeError(fmt::format("{}: the map must be [B, N], not {}", op, describe(map)));
  }
  Rows out{map.size(0), map.size(1), map.to(DType::f64).contiguous().to_vector<double>()};
  for (double& each : out.values) {
    if (std::isnan(each)) each = -std::numeric_limits<double>::infinity();
  }
  return out;
}

std::vector<bool> places(const char* op, const char* what, const Array& x, const Array& map) {
  if (!(x.shape() == map.shape()) || x.dtype() != DType::boolean) {
    throw ShapeError(fmt::format("{}: {} must be bool{}, not {}", op, what, to_string(map.shape()),
                                 describe(x)));
  }
  return x.contiguous().to_vector<bool>();
}

// Each example's real places, the largest value first; of equal ones the first.
std::vector<std::vector<Index>> ranked(const char* op, const Array& map, const Array* real) {
  const Rows rows = rows_of(op, map);
  const auto there = real == nullptr ? std::vector<bool>(rows.values.size(), true)
                                     : places(op, "real", *real, map);
  std::vector<std::vector<Index>> out;
  for (Index b = 0; b < rows.B; ++b) {
    auto& order = out.emplace_back();
    for (Index i = b * rows.N; i < (b + 1) * rows.N; ++i) {
      if (there[static_cast<std::size_t>(i)]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
      return rows.values[static_cast<std::size_t>(i)] > rows.values[static_cast<std::size_t>(j)];
    });
  }
  return out;
}

std::vector<double> curve(const char* op, const Array& map, const SeenPart& model, Index steps,
                          const Array* real, bool inserted) {
  if (steps <= 0) throw ValueError(fmt::format("{}: steps {} must be positive", op, steps));
  const auto orders = ranked(op, map, real);
  std::vector<double> out;
  for (Index step = 0; step <= steps; ++step) {
    Array there = Array::zeros(map.shape(), DType::boolean);
    for (const auto& order : orders) {
      const auto most =
          static_cast<Index>(std::lround(static_cast<double>(order.size()) *
                                         static_cast<double>(step) / static_cast<double>(steps)));
      for (Index i = 0; i < static_cast<Index>(order.size()); ++i) {
        there.mutable_data<bool>()[order[static_cast<std::size_t>(i)]] = (i < most) == inserted;
      }
    }
    const std::vector<double> found = model(there);
    if (found.size() != orders.size()) {
      throw ValueError(fmt::format("{}: the model answers for {} examples of {}", op, found.size(),
                                   orders.size()));
    }
    out.push_back(std::accumulate(found.begin(), found.end(), 0.0) /
                  std::max<double>(1, static_cast<double>(found.size())));
  }
  return out;
}

}  // namespace

double pointing_game(const Array& map, const Array& evidence) {
  const Rows rows = rows_of("pointing_game", map);
  const auto truth = places("pointing_game", "evidence", evidence, map);
  double hits = 0, examples = 0;
  for (Index b = 0; b < rows.B; ++b) {
    const auto from = rows.values.begin() + b * rows.N, to = from + rows.N;
    const auto own = truth.begin() + b * rows.N;
    if (std::find(own, own + rows.N, true) == own + rows.N) continue;
    ++examples;
    const double most = *std::max_element(from, to);
    double equal = 0, right = 0;
    for (Index i = 0; i < rows.N; ++i) {
      if (from[i] != most) continue;
      ++equal;
      right += own[i] ? 1 : 0;
    }
    hits += right / equal;
  }
  return examples == 0 ? 0 : hits / examples;
}

std::vector<double> deletion_curve(const Array& map, const SeenPart& model, Index steps,
                                   const Array* real) {
  return curve("deletion_curve", map, model, steps, real, false);
}

std::vector<double> insertion_curve(const Array& map, const SeenPart& model, Index steps,
                                    const Array* real) {
  return curve("insertion_curve", map, model, steps, real, true);
}

double area_under(const std::vector<double>& curve) {
  if (curve.size() < 2) {
    throw ValueError(fmt::format("area_under: {} points are no curve", curve.size()));
  }
  double sum = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) sum += (curve[i - 1] + curve[i]) / 2;
  return sum / static_cast<double>(curve.size() - 1);
}

}  // namespace heed::train
