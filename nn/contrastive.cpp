#include "contrastive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../autograd/check_defined.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

std::vector<double> log_softmax(const char* whose, const std::vector<double>& scores) {
  double top = kNever;
  for (const double score : scores) top = std::max(top, std::isnan(score) ? kNever : score);
  if (!std::isfinite(top)) {
    throw ValueError(
        fmt::format("contrast: none of the {}'s {} scores is finite", whose, scores.size()));
  }
  double total = 0;
  for (const double score : scores) total += std::isnan(score) ? 0 : std::exp(score - top);
  std::vector<double> out;
  out.reserve(scores.size());
  for (const double score : scores) {
    out.push_back(std::isnan(score) ? kNever : score - top - std::log(total));
  }
  return out;
}

std::vector<std::vector<double>> rows(const char* what, const Tensor& x, Index width) {
  check_defined("contrastive_choice", x, what);
  check_floating("contrastive_choice", x.dtype());
  if (x.rank() != 2 || (width >= 0 && x.size(1) != width)) {
    throw ShapeError(fmt::format("contrastive_choice: {} must be [n, {}], not {}", what,
                                 width < 0 ? std::string("d") : std::to_string(width),
                                 describe(x)));
  }
  const auto all = x.array().to(DType::f64).to_vector<double>();
  std::vector<std::vector<double>> out;
  for (const double each : all) {
    if (std::isfinite(each)) continue;
    throw ValueError(fmt::format("contrastive_choice: {} {} hold {}", what, describe(x), each));
  }
  for (Index i = 0; i < x.size(0); ++i) {
    const auto first = all.begin() + i * x.size(1);
    out.emplace_back(first, first + x.size(1));
  }
  return out;
}

double cosine(const std::vector<double>& x, const std::vector<double>& y) {
  double product = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += x[i] * y[i];
    xx += x[i] * x[i];
    yy += y[i] * y[i];
  }
  return product == 0 ? 0 : product / std::sqrt(xx * yy);
}

}  // namespace

std::vector<double> contrast(const std::vector<double>& expert, const std::vector<double>& amateur,
                             double alpha) {
  if (expert.size() != amateur.size()) {
    throw ShapeError(fmt::format("contrast: the expert has {} scores, the amateur {}",
                                 expert.size(), amateur.size()));
  }
  if (!(alpha > 0 && alpha <= 1)) {
    throw ValueError(fmt::format("contrast: alpha {} is not in (0, 1]", alpha));
  }
  const auto p = log_softmax("expert", expert), q = log_softmax("amateur", amateur);
  const double least = *std::max_element(p.begin(), p.end()) + std::log(alpha);
  std::vector<double> out;
  for (std::size_t i = 0; i < p.size(); ++i) {
    // What the amateur holds for impossible is as far above it as can be.
    const double above = std::max(q[i], std::log(std::numeric_limits<double>::min()));
    out.push_back(p[i] >= least ? p[i] - above : kNever);
  }
  return out;
}

Index contrastive_choice(const std::vector<double>& chances, const Tensor& candidates,
                         const Tensor& before, double alpha) {
  if (!(alpha >= 0 && alpha <= 1)) {
    throw ValueError(fmt::format("contrastive_choice: alpha {} is not in [0, 1]", alpha));
  }
  const auto states = rows("candidates", candidates, -1);
  const auto past = rows("before", before, candidates.size(1));
  if (chances.empty() || states.size() != chances.size()) {
    throw ShapeError(fmt::format("contrastive_choice: {} probabilities for candidates {}",
                                 chances.size(), describe(candidates)));
  }
  Index best = 0;
  double highest = kNever;
  for (std::size_t v = 0; v < states.size(); ++v) {
    double likeness = past.empty() ? 0 : -1;
    for (const auto& state : past) likeness = std::max(likeness, cosine(states[v], state));
    const double score = (1 - alpha) * chances[v] - alpha * likeness;
    if (score > highest) highest = score, best = static_cast<Index>(v);
  }
  return best;
}

}  // namespace heed::nn
