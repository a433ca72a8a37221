// One line that says how far a loop is: a bar with rate, time left and loss on a terminal, redrawn
// at most ten times a second; elsewhere (a log file, a pipe) a plain line at every tenth of the
// way.
//
//   train::Progress progress("epoch 1/5", batches);
//   for (...) progress.update(++done, loss.mean());
#pragma once

#include <cstdio>
#include <string>

#include "../core/shape.h"

namespace heed::train {

struct ProgressOptions {
  enum class Style { detect, bar, lines };
  std::FILE* out = stderr;
  Style style = Style::detect;  ///< detect: a bar when `out` is a terminal that can redraw a line
  double (*clock)() = nullptr;  ///< seconds from any start; by default the steady clock
};

class Progress {
 public:
  /// Throws ValueError unless total > 0.
  Progress(std::string title, Index total, const ProgressOptions& options = {});
  /// Ends a bar that stands unfinished, so that what is printed next has a line of its own.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total so far, and the loss to show. The last update prints the whole time.
  void update(Index done, double loss);

 private:
  void draw_bar(Index done, double elapsed, double loss);

  std::string title_;
  Index total_;
  std::FILE* out_;
  bool bar_;
  double (*clock_)();
  double start_;
  double drawn_at_ = -1.0;  // seconds since the start
  Index next_line_ = 1;     // in tenths of the total
  bool open_ = false;       // a bar stands on the current line
  bool finished_ = false;
};

/// "0:07", "12:34", "3:05:09"; "-:--" for what is not a time.
std::string format_duration(double seconds);

}  // namespace heed::train
