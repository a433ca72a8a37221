#include "chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "markup.h"
#include "percent.h"

namespace heed::train {
namespace {

constexpr double kWidth = 560, kHeight = 320;
constexpr double kLeft = 70, kRight = 540, kBottom = 272;
constexpr std::size_t kMostPoints = 400;
constexpr std::size_t kMostMarkers = 40;
constexpr const char* kColours[] = {"#2f7fd6", "#e8790c", "#1f9e77",
                                    "#c4478d", "#8466d6", "#a88700"};

constexpr const char* kStyle =
    "<style>.hc{font:13px system-ui,sans-serif}.hc text{fill:#5b6470}.hc .t{font-size:15px;"
    "font-weight:600;fill:#1f2328}.hc .p{fill:#fff}.hc .g{stroke:#e3e6ea}.hc .a{stroke:#aab2bb}"
    "@media(prefers-color-scheme:dark){.hc text{fill:#9aa4af}.hc .t{fill:#e6edf3}"
    ".hc .p{fill:#1b1f25}.hc .g{stroke:#2c333b}.hc .a{stroke:#57606a}}</style>";

// Means of equal runs of neighbours; runs with nothing finite stay breaks.
Series thinned(const Series& series) {
  const std::size_t run = (series.x.size() + kMostPoints - 1) / kMostPoints;
  if (run <= 1) return series;
  Series out{series.name, {}, {}};
  for (std::size_t begin = 0; begin < series.x.size(); begin += run) {
    double x = 0, y = 0, count = 0;
    for (std::size_t i = begin; i < std::min(begin + run, series.x.size()); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      x += series.x[i], y += series.y[i], ++count;
    }
    out.x.push_back(x / count);
    out.y.push_back(y / count);
  }
  return out;
}

// One axis: a range of numbers, its ticks, and where they lie on the page.
struct Axis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double from = 0, to = 0;
  std::vector<double> ticks;

  void cover(double value) { low = std::min(low, value), high = std::max(high, value); }
  void settle(Index count, bool whole) {
    if (low > high) low = 0, high = 1;
    if (low == high) {
      const bool small = std::fabs(low) < 1e9;  // else 1 might be lost beside it
      const double pad = whole && small ? 1.0 : std::max(std::fabs(low) * 0.1, 1e-6);
      constexpr double kMost = std::numeric_limits<double>::max();
      low = std::max(low - pad, -kMost), high = std::min(high + pad, kMost);
    }
    ticks = nice_ticks(low, high, count);
    // Epochs and steps: no tick at 1.5.
    if (whole) std::erase_if(ticks, [](double tick) { return tick != std::round(tick); });
  }
  double place(double value) const {
    const double scale = std::isfinite(high - low) ? 1.0 : 0.5;  // from -1e308 to 1e308
    return from + (scale * value - scale * low) / (scale * high - scale * low) * (to - from);
  }
  std::string label(double tick) const {
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    const double size = std::max(std::fabs(ticks.front()), std::fabs(ticks.back()));
    if (size >= 1e6 || step < 1e-4) return fmt::format("{:.3g}", tick + 0.0);  // no -0
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return rounded(tick, digits);
  }
};

std::string draw_axes(const Axis& x, const Axis& y) {
  std::string out;
  for (const double tick : y.ticks) {
    const double at = y.place(tick);
    out += fmt::format(R"(<line class="g" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft,
                       kRight, at, at);
    out += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8, at + 4,
                       y.label(tick));
  }
  out += fmt::format(R"(<line class="a" x1="{}" x2="{}" y1="{}" y2="{}"/>)", kLeft, kRight, kBottom,
                     kBottom);
  for (const double tick : x.ticks) {
    if (tick < x.low || tick > x.high) continue;
    const double at = x.place(tick);
    out += fmt::format(R"(<line class="a" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>)", at, at,
                       kBottom, kBottom + 4);
    out += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", at,
                       kBottom + 18, x.label(tick));
  }
  return out;
}

std::string draw_line(const Series& series, const Axis& x, const Axis& y, const char* colour) {
  std::string path;
  std::string markers;
  bool pen_down = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool drawn = std::isfinite(series.x[i]) && std::isfinite(series.y[i]);
    if (drawn) {
      const double px = x.place(series.x[i]);
      const double py = y.place(series.y[i]);
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', px, py);
      if (series.x.size() <= kMostMarkers) {
        markers += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}">)"
                               R"(<title>{} {:.6g}: {:.6g}</title></circle>)",
                               px, py, colour, escape_markup(series.name), series.x[i] + 0.0,
                               series.y[i] + 0.0);  // no -0
      }
    }
    pen_down = drawn;
  }
  return fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2" )"
                     R"(stroke-linejoin="round" stroke-linecap="round"/>)",
                     path, colour) +
         markers;
}

double characters(const std::string& text) {
  return static_cast<double>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The names beside their colours, in as many rows as they need, below the title.
struct Legend {
  std::string drawn;
  double bottom;
};

Legend legend_of(const std::vector<Series>& lines) {
  std::string out;
  double x = kLeft, y = 43;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double width = 20 + 7.2 * characters(lines[i].name);
    if (x > kLeft && x + width > kRight) x = kLeft, y += 16;
    out += fmt::format(R"(<rect x="{}" y="{}" width="14" height="4" rx="2" fill="{}"/>)", x, y - 6,
                       kColours[i % std::size(kColours)]);
    out += fmt::format(R"(<text x="{}" y="{}">{}</text>)", x + 20, y, escape_markup(lines[i].name));
    x += width + 22;
  }
  return {out, std::min(y + 21, kBottom - 80)};
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, Index count) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high || count <= 0) {
    throw ValueError(fmt::format("nice_ticks: no {} ticks in [{}, {}]", count, low, high));
  }
  const double raw = (high / static_cast<double>(count)) - (low / static_cast<double>(count));
  if (!(raw > 0)) return {low};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + 1e-9)) {
      step = factor * power;
      break;
    }
  }
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  // Where the numbers are so close that steps are lost in rounding, or so large that ticks leave
  // the range of double, the lowest alone must do.
  constexpr double kExact = 1e15;
  if (!(std::fabs(first) < kExact && std::fabs(last) < kExact && std::isfinite(first * step) &&
        std::isfinite(last * step))) {
    return {low};
  }
  std::vector<double> ticks;
  for (double i = first; i <= last; ++i) ticks.push_back(i * step + 0.0);
  return ticks;
}

std::string line_chart(const std::vector<Series>& series, const ChartOptions& options) {
  std::vector<Series> lines;
  Axis x{.from = kLeft + 8, .to = kRight - 4, .ticks = {}};
  Axis y{.from = kBottom, .ticks = {}};
  bool whole = true;
  for (const Series& one : series) {
    if (one.x.size() != one.y.size()) {
      throw ValueError(fmt::format("line_chart: the series {} has {} x and {} y",
                                   in_quotes(one.name), one.x.size(), one.y.size()));
    }
    for (const double value : one.x) whole = whole && value == std::round(value);
    for (std::size_t i = 0; i < one.x.size(); ++i) {
      if (std::isfinite(one.x[i]) && std::isfinite(one.y[i])) x.cover(one.x[i]);
    }
    lines.push_back(thinned(one));
    for (const double value : lines.back().y) {
      if (std::isfinite(value)) y.cover(value);
    }
  }
  const Legend legend = legend_of(lines);
  y.to = legend.bottom;
  x.settle(8, whole);
  y.settle(5, false);
  // The y axis runs from round number to round number, the x axis from first point to last.
  y.low = std::min(y.low, y.ticks.front());
  y.high = std::max(y.high, y.ticks.back());

  std::string out = fmt::format(
      R"(<svg class="hc" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img">)",
      kWidth, kHeight);
  out += fmt::format("<title>{}</title>{}", escape_markup(options.title), kStyle);
  out += R"(<rect class="p" width="100%" height="100%"/>)";  // the ground, where it stands alone
  out += fmt::format(R"(<text class="t" x="{}" y="20">{}</text>)", 8, escape_markup(options.title));
  out += legend.drawn;
  out += draw_axes(x, y);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += draw_line(lines[i], x, y, kColours[i % std::size(kColours)]);
  }
  out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", (kLeft + kRight) / 2,
                     kHeight - 8, escape_markup(options.x_label));
  out += fmt::format(
      R"svg(<text transform="translate(12 {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
      (legend.bottom + kBottom) / 2, escape_markup(options.y_label));
  return out + "</svg>";
}

}  // namespace heed::train
