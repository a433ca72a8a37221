#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "../core/error.h"
#include "percent.h"
#include "shade.h"

namespace heed::train {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr int kWidestBar = 30;
constexpr int kNarrowestBar = 5;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int width_of(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string format_rate(Index done, double elapsed) {
  if (!(elapsed > 0.0)) return "-/s";
  const double rate = static_cast<double>(done) / elapsed;
  if (rate >= 100.0) return fmt::format("{:.0f}/s", rate);
  return fmt::format("{:.{}f}/s", rate, rate >= 10.0 ? 1 : 2);
}

// A full disk or a closed pipe under the log is no reason to end a training: failures are ignored.
void put(std::FILE* out, const std::string& text) {
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

std::string draw(double fraction, int cells) {
  // Eighths of a cell, as the block characters have them.
  constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(fraction * cells * 8);
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kParts[eighths % 8];
  const int used = eighths / 8 + (eighths % 8 != 0 ? 1 : 0);
  return bar + std::string(static_cast<std::size_t>(cells - used), ' ');
}

}  // namespace

std::string format_duration(double seconds) {
  if (!(seconds >= 0.0 && seconds < 1e9)) return "-:--";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress::Progress(std::string title, Index total, const ProgressOptions& options)
    : title_(std::move(title)),
      total_(total),
      out_(options.out),
      bar_(options.style == ProgressOptions::Style::detect
               ? is_terminal(options.out)
               : options.style == ProgressOptions::Style::bar),
      clock_(options.clock ? options.clock : steady_seconds),
      start_(clock_()) {
  if (total <= 0) throw ValueError(fmt::format("progress: the total {} must be positive", total));
}

Progress::~Progress() {
  if (open_) std::fputc('\n', out_);
}

void Progress::update(Index done, double loss) {
  if (finished_) return;
  done = std::clamp<Index>(done, 0, total_);
  const double elapsed = clock_() - start_;
  if (done == total_) {
    put(out_, fmt::format("{}{}: {} in {}, {}, loss {}\n", open_ ? "\r\x1b[K" : "", title_, total_,
                          format_duration(elapsed), format_rate(done, elapsed), rounded(loss, 4)));
    open_ = false;
    finished_ = true;
  } else if (bar_) {
    if (drawn_at_ >= 0.0 && elapsed - drawn_at_ < kRedrawSeconds) return;
    drawn_at_ = elapsed;
    draw_bar(done, elapsed, loss);
  } else {
    const auto tenth =
        static_cast<Index>(10.0 * static_cast<double>(done) / static_cast<double>(total_));
    if (tenth < next_line_) return;
    next_line_ = tenth + 1;
    const double left = elapsed * static_cast<double>(total_ - done) / static_cast<double>(done);
    put(out_, fmt::format("{}: {}/{}, {}, ETA {}, loss {}\n", title_, done, total_,
                          format_rate(done, elapsed), format_duration(left), rounded(loss, 4)));
  }
}

void Progress::draw_bar(Index done, double elapsed, double loss) {
  const double fraction = static_cast<double>(done) / static_cast<double>(total_);
  const double left = done > 0 ? elapsed * (1.0 - fraction) / fraction : -1.0;
  const std::string facts =
      fmt::format("{:3.0f}%  {}/{}  {}  ETA {}  loss {}", std::floor(100.0 * fraction), done,
                  total_, format_rate(done, elapsed), format_duration(left), rounded(loss, 4));
  // One column stays free: some terminals wrap when the last one is written.
  const int room = width_of(out_) - 1;
  const int cells = std::min(kWidestBar, room - static_cast<int>(title_.size() + facts.size()) - 4);
  std::string line = title_ + "  ";
  if (cells >= kNarrowestBar) line += draw(fraction, cells) + "  ";
  line += facts;
  if (cells < kNarrowestBar) line.resize(std::min(line.size(), static_cast<std::size_t>(room)));
  put(out_, "\r\x1b[K" + line);
  open_ = true;
}

}  // namespace heed::train
