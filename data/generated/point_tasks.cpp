#include "point_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data {
namespace {

constexpr Index kMostPoints = 1 << 14;

// "x", or "x,y".
std::optional<std::array<double, 2>> point_of(PointTask task, const std::string& word) {
  std::array<double, 2> out{};
  const char *at = word.data(), *end = at + word.size();
  for (std::size_t part = 0;; ++part) {
    const auto [stop, error] = std::from_chars(at, end, out[part]);
    if (error != std::errc() || !std::isfinite(out[part])) return std::nullopt;
    if (part == (task == PointTask::hull ? 1 : 0)) {
      if (stop != end) return std::nullopt;
      return out;
    }
    if (stop == end || *stop != ',') return std::nullopt;
    at = stop + 1;
  }
}

}  // namespace

std::vector<std::vector<Point>> draw_point_problems(PointTask task, Index batch,
                                                    const Lengths& lengths, Generator& generator) {
  const Index count = lengths.draw(generator);
  if (count < 3 || count > kMostPoints) {
    throw ValueError(fmt::format("points: {}, not 3 to {}", count, kMostPoints));
  }
  std::vector<std::vector<Point>> out;
  for (Index b = 0; b < batch; ++b) {
    out.push_back(draw_points(count, generator));
    if (task == PointTask::hull) continue;
    for (Point& point : out.back()) point.y = 0;
  }
  return out;
}

std::vector<Index> point_answer(PointTask task, const std::vector<Point>& points) {
  if (task == PointTask::hull) return convex_hull(points);
  std::vector<Index> out(points.size());
  std::iota(out.begin(), out.end(), Index{0});
  std::stable_sort(out.begin(), out.end(), [&](Index i, Index j) {
    return points[static_cast<std::size_t>(i)].x < points[static_cast<std::size_t>(j)].x;
  });
  return out;
}

PointBatch point_batch(PointTask task, const std::vector<std::vector<Point>>& problems) {
  if (problems.empty() || problems.front().empty()) throw ValueError("points: no problems");
  const auto B = static_cast<Index>(problems.size());
  const auto K = static_cast<Index>(problems.front().size());
  std::vector<std::vector<Index>> rows;
  std::size_t most = 0;
  PointBatch out{Array::zeros({B, K, 2}, DType::f32), Array()};
  float* to = out.x.mutable_data<float>();
  for (const auto& points : problems) {
    if (static_cast<Index>(points.size()) != K) throw ValueError("points: problems of two sizes");
    for (const Point& point : points) {
      *to++ = static_cast<float>(point.x) / static_cast<float>(kGrid);
      *to++ = static_cast<float>(point.y) / static_cast<float>(kGrid);
    }
    rows.push_back(point_answer(task, points));
    if (task == PointTask::hull) rows.back().push_back(rows.back().front());
    most = std::max(most, rows.back().size());
  }
  std::vector<Index> all;
  for (auto& row : rows) {
    row.resize(most, -1);
    all.insert(all.end(), row.begin(), row.end());
  }
  out.targets = Array::from(all, {B, static_cast<Index>(most)});
  return out;
}

std::vector<Index> pointed_answer(PointTask task, std::vector<Index> places) {
  if (task == PointTask::hull && !places.empty()) {
    places.erase(std::find(places.begin() + 1, places.end(), places.front()), places.end());
  }
  return places;
}

std::size_t places_apart(const std::vector<Index>& a, const std::vector<Index>& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t out = std::max(a.size(), b.size()) - shorter;
  for (std::size_t i = 0; i < shorter; ++i) out += a[i] != b[i];
  return out;
}

std::vector<Point> read_points(PointTask task, const std::string& line, Index most,
                               std::vector<std::string>& words) {
  std::istringstream in(line);
  words.clear();
  std::vector<std::array<double, 2>> points;
  for (std::string word; in >> word; words.push_back(word)) {
    const auto point = point_of(task, word);
    if (!point) {
      throw ValueError(fmt::format("points: {} is no {}", in_quotes(word),
                                   task == PointTask::hull ? "point x,y" : "number"));
    }
    points.push_back(*point);
  }
  if (points.size() < 3 || static_cast<Index>(points.size()) > most) {
    throw ValueError(fmt::format("points: {}, not 3 to {}", points.size(), most));
  }
  std::array<double, 2> least = points.front();
  double scale = 0;
  for (std::size_t part = 0; part < 2; ++part) {
    double high = least[part];
    for (const auto& point : points) {
      least[part] = std::min(least[part], point[part]);
      high = std::max(high, point[part]);
    }
    scale = std::max(scale, high - least[part]);
  }
  if (!std::isfinite(scale)) throw ValueError("points: they lie too far apart");
  std::vector<Point> out;
  const auto fitted = [&](const std::array<double, 2>& point, std::size_t part) {
    const double share = scale > 0 ? (point[part] - least[part]) / scale : 0;
    return static_cast<Index>(share * static_cast<double>(kGrid - 1));
  };
  out.reserve(points.size());
  for (const auto& point : points) out.push_back({fitted(point, 0), fitted(point, 1)});
  return out;
}

}  // namespace heed::data
