#include "ctc_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../core/error.h"

namespace heed::nn {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double most = std::max(a, b);
  return most == kNever ? kNever : most + std::log1p(std::exp(-std::abs(a - b)));
}

// The numbers of all rows, checked.
struct Steps {
  std::vector<double> values;  // [T, N, C]
  Index rows, classes;
  const double* at(Index step, Index row) const {
    return values.data() + (step * rows + row) * classes;
  }
};

Steps read(const char* op, const Tensor& log_probs, const std::vector<Index>& lengths,
           Index blank) {
  if (!log_probs.defined() || log_probs.rank() != 3) {
    throw ShapeError(fmt::format("{}: log_probs must be [T, N, C], not {}", op,
                                 log_probs.defined() ? describe(log_probs.array()) : "undefined"));
  }
  if (log_probs.dtype() != DType::f32 && log_probs.dtype() != DType::f64) {
    throw DTypeError(
        fmt::format("{}: log_probs must be f32 or f64, not {}", op, describe(log_probs.array())));
  }
  const Index T = log_probs.size(0), N = log_probs.size(1), C = log_probs.size(2);
  if (blank < 0 || blank >= C) {
    throw ValueError(fmt::format("{}: the blank {} is none of {} classes", op, blank, C));
  }
  if (static_cast<Index>(lengths.size()) != N) {
    throw ValueError(fmt::format("{}: {} lengths for {} rows", op, lengths.size(), N));
  }
  Steps out{log_probs.array().to(DType::f64).contiguous().to_vector<double>(), N, C};
  for (Index n = 0; n < N; ++n) {
    const Index length = lengths[static_cast<std::size_t>(n)];
    if (length < 0 || length > T) {
      throw ValueError(fmt::format("{}: length {} of row {} is not in [0, {}]", op, length, n, T));
    }
    for (Index t = 0; t < length; ++t) {
      const double* p = out.at(t, n);
      const bool numbers = std::all_of(p, p + C, [](double x) { return x < -kNever; });
      if (!numbers || *std::max_element(p, p + C) == kNever) {
        throw ValueError(
            fmt::format("{}: row {}, step {}: NaN, infinity, or no class that can be", op, n, t));
      }
    }
  }
  return out;
}

// A prefix's alignments so far.
struct Mass {
  double blank = kNever,
         label = kNever;  // logs of those that end with a blank, with the last label
  std::vector<Index> steps = {};
  double most = kNever;  // of one of its sources: the steps are those of the greatest
  double all() const { return log_add(blank, label); }

  void add(double Mass::*part, double log_probability, const std::vector<Index>& from,
           Index step = -1) {
    this->*part = log_add(this->*part, log_probability);
    if (log_probability <= most) return;
    most = log_probability;
    steps = from;
    if (step >= 0) steps.push_back(step);
  }
};
using Prefixes = std::map<std::vector<Index>, Mass>;

Prefixes advanced(const Prefixes& prefixes, const double* log_probs, Index step, Index classes,
                  Index blank) {
  Prefixes out;
  for (const auto& [labels, mass] : prefixes) {
    const double all = mass.all();
    for (Index c = 0; c < classes; ++c) {
      const double p = log_probs[c];
      if (p == kNever || all == kNever) continue;
      if (c == blank) {
        out[labels].add(&Mass::blank, all + p, mass.steps);
        continue;
      }
      const bool repeats = !labels.empty() && labels.back() == c;
      if (repeats && mass.label != kNever) {
        out[labels].add(&Mass::label, mass.label + p, mass.steps);
      }
      const double before = repeats ? mass.blank : all;  // a repeat wants a blank between
      if (before == kNever) continue;
      std::vector<Index> longer = labels;
      longer.push_back(c);
      out[longer].add(&Mass::label, before + p, mass.steps, step);
    }
  }
  return out;
}

// The likeliest, best first; of equals the one whose labels come first.
std::vector<Prefixes::const_iterator> best_of(const Prefixes& prefixes, Index count) {
  std::vector<Prefixes::const_iterator> out;
  for (auto at = prefixes.begin(); at != prefixes.end(); ++at) out.push_back(at);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a->second.all() > b->second.all(); });
  out.resize(std::min(out.size(), static_cast<std::size_t>(count)));
  return out;
}

}  // namespace

std::vector<CtcHypothesis> ctc_greedy(const Tensor& log_probs, const std::vector<Index>& lengths,
                                      Index blank) {
  const Steps steps = read("ctc_greedy", log_probs, lengths, blank);
  std::vector<CtcHypothesis> out(lengths.size());
  for (std::size_t n = 0; n < out.size(); ++n) {
    Index last = blank;
    for (Index t = 0; t < lengths[n]; ++t) {
      const double* p = steps.at(t, static_cast<Index>(n));
      const Index likeliest = std::max_element(p, p + steps.classes) - p;
      out[n].log_probability += p[likeliest];
      if (likeliest != blank && likeliest != last) {
        out[n].labels.push_back(likeliest);
        out[n].steps.push_back(t);
      }
      last = likeliest;
    }
  }
  return out;
}

std::vector<std::vector<CtcHypothesis>> ctc_search(const Tensor& log_probs,
                                                   const std::vector<Index>& lengths,
                                                   const CtcSearchOptions& options) {
  if (options.beam < 1 || options.n_best < 1 || options.n_best > options.beam) {
    throw ValueError(
        fmt::format("ctc_search: n_best {} must be in [1, beam {}]", options.n_best, options.beam));
  }
  const Steps steps = read("ctc_search", log_probs, lengths, options.blank);
  std::vector<std::vector<CtcHypothesis>> out;
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    Prefixes prefixes = {{{}, Mass{.blank = 0}}};
    for (Index t = 0; t < lengths[n]; ++t) {
      const Prefixes next =
          advanced(prefixes, steps.at(t, static_cast<Index>(n)), t, steps.classes, options.blank);
      prefixes.clear();
      for (const auto& each : best_of(next, options.beam)) prefixes.insert(*each);
    }
    out.emplace_back();
    for (const auto& each : best_of(prefixes, options.n_best)) {
      out.back().push_back({each->first, each->second.all(), each->second.steps});
    }
  }
  return out;
}

}  // namespace heed::nn
