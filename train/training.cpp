#include "training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/error.h"
#include "../core/quoted.h"
#include "percent.h"

namespace heed::train {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Where a training state keeps them.
constexpr const char* kTimes = "rounds";
constexpr const char* kFigures = "figures";

struct Times {
  double step, epoch, seconds;
};

double value_of(const Round& round, const std::string& figure) {
  for (const Figure& each : round.figures) {
    if (each.name == figure) return each.value;
  }
  return kNan;
}

// Whether a is better than b: the first of the figures in which they differ says.
bool better(const Round& a, const Round& b, const std::vector<Wanted>& wanted) {
  for (const Wanted& each : wanted) {
    const double x = value_of(a, each.figure), y = value_of(b, each.figure);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (std::isnan(x) || std::isnan(y)) return std::isnan(y);
    if (x != y) return (x > y) == (each.better == Better::higher);
  }
  return false;
}

}  // namespace

void put_figures(io::TrainingState& state, const std::string& under, const Figures& figures) {
  io::NamedArrays arrays;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& each = figures[i];
    arrays.emplace_back(
        fmt::format("{:03}.{}", i, each.name),
        Array::from(std::vector<double>{each.value, static_cast<double>(each.digits)}));
  }
  state.put(under, arrays);
}

Figures figures_of(const io::TrainingState& state, const std::string& under) {
  Figures out;
  for (const auto& [name, array] : state.arrays(under)) {
    const std::size_t dot = name.find('.');
    const bool fits =
        dot != std::string::npos && array.dtype() == DType::f64 && array.shape() == Shape{2};
    const auto numbers = fits ? array.to_vector<double>() : std::vector<double>{0, -1};
    if (!(numbers[1] >= 0 && numbers[1] <= 17)) {
      state.refuse(fmt::format("the figure {} is none", in_quotes(name)));
    }
    out.push_back({name.substr(dot + 1), numbers[0], static_cast<int>(numbers[1])});
  }
  return out;
}

std::vector<double> Training::curve(const std::string& figure) const {
  std::vector<double> out;
  for (const Round& round : rounds) out.push_back(value_of(round, figure));
  return out;
}

std::vector<double> Training::steps() const {
  std::vector<double> out;
  for (const Round& round : rounds) out.push_back(static_cast<double>(round.step));
  return out;
}

std::vector<double> Training::epochs() const {
  std::vector<double> out;
  for (const Round& round : rounds) out.push_back(static_cast<double>(round.epoch));
  return out;
}

Index Training::best(const std::vector<Wanted>& wanted) const {
  for (const Wanted& each : wanted) {
    const auto has = [&](const Round& round) {
      return std::any_of(round.figures.begin(), round.figures.end(),
                         [&](const Figure& figure) { return figure.name == each.figure; });
    };
    if (!rounds.empty() && std::none_of(rounds.begin(), rounds.end(), has)) {
      throw ValueError(
          fmt::format("training: there is no figure {} to keep by", in_quotes(each.figure)));
    }
  }
  Index out = rounds.empty() ? -1 : 0;
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    if (better(rounds[i], rounds[static_cast<std::size_t>(out)], wanted)) {
      out = static_cast<Index>(i);
    }
  }
  return out;
}

void Training::put(io::TrainingState& state) const {
  std::vector<Times> times;
  io::NamedArrays figures;
  for (const Round& round : rounds) {
    times.push_back(
        {static_cast<double>(round.step), static_cast<double>(round.epoch), round.seconds});
  }
  Figures named;  // all that some round has, as the first of them
  for (const Round& round : rounds) {
    for (const Figure& figure : round.figures) {
      const auto same = [&](const Figure& other) { return other.name == figure.name; };
      if (std::none_of(named.begin(), named.end(), same)) named.push_back(figure);
    }
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    std::vector<double> values = curve(named[i].name);
    values.push_back(named[i].digits);
    figures.emplace_back(fmt::format("{:03}.{}", i, named[i].name), Array::from(values));
  }
  state.put(kTimes, times);
  state.put(kFigures, figures);
}

void Training::get(const io::TrainingState& state) {
  std::vector<Times> times;
  state.get(kTimes, times);
  std::vector<Round> out(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto whole = [&](double x) {
      if (!(x >= 0 && x < 1e15 && x == std::floor(x))) state.refuse("a round is at no step");
      return static_cast<Index>(x);
    };
    out[i].step = whole(times[i].step);
    out[i].epoch = whole(times[i].epoch);
    out[i].seconds = times[i].seconds;
  }
  for (const auto& [name, array] : state.arrays(kFigures)) {
    const std::size_t dot = name.find('.');
    const bool fits = dot != std::string::npos && array.dtype() == DType::f64 &&
                      array.shape() == Shape{static_cast<Index>(out.size()) + 1};
    const auto values = fits ? array.to_vector<double>() : std::vector<double>{};
    if (!fits || !(values.back() >= 0 && values.back() <= 17)) {
      state.refuse(fmt::format("the figure {} does not fit the rounds", in_quotes(name)));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].figures.push_back({name.substr(dot + 1), values[i], static_cast<int>(values.back())});
    }
  }
  rounds = std::move(out);
}

std::string to_line(const Round& round, const std::string& name) {
  std::string out = fmt::format("{} {}", name, name == "step" ? round.step : round.epoch);
  for (const Figure& figure : round.figures) {
    out += fmt::format("  {} {}", figure.name, rounded(figure.value, figure.digits));
  }
  return out + fmt::format("  {:.1f} s", round.seconds);
}

}  // namespace heed::train
