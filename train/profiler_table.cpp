// The tables of a Profiler.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler.h"

namespace heed::train {
namespace {

struct Line {
  std::string op;
  bool backward = false;
  Index calls = 0;
  double seconds = 0, flops = 0, bytes = 0;
};

// What is nothing is left blank.
std::string figure(double value, int digits) {
  return value == 0 ? "" : fmt::format("{:.{}f}", value, digits);
}
std::string count(Index calls) { return calls == 0 ? "" : std::to_string(calls); }

std::vector<Line> by_operator(const std::vector<ProfilerRow>& rows) {
  std::map<std::pair<std::string, bool>, Line> merged;
  for (const ProfilerRow& row : rows) {
    Line& line = merged[{row.op, row.backward}];
    line.op = row.op;
    line.backward = row.backward;
    line.calls += row.calls;
    line.seconds += row.seconds;
    line.flops += row.flops;
    line.bytes += row.bytes;
  }
  std::vector<Line> out;
  out.reserve(merged.size());
  for (auto& entry : merged) out.push_back(std::move(entry.second));
  std::stable_sort(out.begin(), out.end(),
                   [](const Line& a, const Line& b) { return a.seconds > b.seconds; });
  return out;
}

std::string operator_line(const std::string& op, const char* pass, const Line& line, double all) {
  const bool timed = line.seconds > 0;
  return fmt::format(
      "{:<24} {:<8} {:>7} {:>10.3f} {:>5.1f}% {:>10} {:>9} {:>10}\n", op, pass, count(line.calls),
      1e3 * line.seconds, all > 0 ? 100 * line.seconds / all : 0.0, figure(line.flops / 1e9, 3),
      timed ? figure(line.flops / line.seconds / 1e9, 1) : "", figure(line.bytes / 1e6, 1));
}

// A long path keeps its end, which says more.
std::string shortened(const std::string& path, std::size_t width) {
  if (path.size() <= width) return path;
  return "..." + path.substr(path.size() - width + 3);
}

}  // namespace

std::string Profiler::table(std::size_t most) const {
  const std::vector<ProfilerRow> all = rows();
  Line sum, forward, backward;
  for (const ProfilerRow& row : all) {
    for (Line* to : {&sum, row.backward ? &backward : &forward}) {
      to->calls += row.calls;
      to->seconds += row.seconds;
      to->flops += row.flops;
      to->bytes += row.bytes;
    }
  }
  std::string out = fmt::format("{:<24} {:<8} {:>7} {:>10} {:>6} {:>10} {:>9} {:>10}\n", "operator",
                                "pass", "calls", "ms", "share", "GFLOP", "GFLOP/s", "MB");
  const std::vector<Line> lines = by_operator(all);
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
    out += operator_line(lines[i].op, lines[i].backward ? "backward" : "forward", lines[i],
                         sum.seconds);
  }
  if (lines.size() > most) out += fmt::format("... and {} more\n", lines.size() - most);
  out += operator_line("all", "forward", forward, sum.seconds);
  out += operator_line("all", "backward", backward, sum.seconds);
  out += operator_line("all", "", sum, sum.seconds);
  out += fmt::format("{:.3f} ms passed while the profiler ran\n\n", 1e3 * seconds());

  out += fmt::format("{:<44} {:<18} {:>6} {:>10} {:>6} {:>10} {:>10} {:>10}\n", "module", "class",
                     "calls", "self ms", "share", "forward", "backward", "GFLOP");
  const std::vector<ProfilerModule> parts = modules();
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) {
    const ProfilerModule& part = parts[i];
    out +=
        fmt::format("{:<44} {:<18} {:>6} {:>10.3f} {:>5.1f}% {:>10.3f} {:>10.3f} {:>10}\n",
                    shortened(part.module, 44), shortened(part.class_name, 18), count(part.calls),
                    1e3 * part.self, sum.seconds > 0 ? 100 * part.self / sum.seconds : 0.0,
                    1e3 * part.forward, 1e3 * part.backward, figure(part.flops / 1e9, 3));
  }
  if (parts.size() > most) out += fmt::format("... and {} more\n", parts.size() - most);
  return out + "self: in a module's own operators; forward, backward and GFLOP: with all in it\n";
}

}  // namespace heed::train
