// Log: where the figures of a training go, step by step. One interface for what reads them:
//
//   train::TensorBoard  (tensorboard.h)  event files for TensorBoard
//   train::CsvLog       (csv_log.h)      a table, a row a step, for spreadsheets
//   train::JsonLog      (json_log.h)     an object a line, for scripts
//
//   train::TensorBoard log("runs/first");
//   if (resumed) log.resume(step);
//   log.scalar(step, "loss/train", loss.item());
//
// Steps count up and are not negative. Names are one line of text, "loss/train"; what stands before
// the slash is a group in TensorBoard. A log takes what its format can hold and drops the rest.
// What was logged is in the file when the call returns, but for the row of the step that is being
// filled, which CsvLog and JsonLog write at the next step or by flush(); where more of it comes they
// take it back and write it anew (a pipe has it twice; who is killed in between has lost it). A
// process that may write nothing (io/read_only.h) logs nothing.
#pragma once

#include <cstdint>
#include <string>

#include "../autograd/tensor.h"
#include "picture.h"
#include "spread.h"

namespace heed::train {

class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;

  // All throw IoError, and ValueError for a step that is negative or a name that is empty, not
  // UTF-8 or has control characters.

  /// Any number, NaN and infinities too.
  void scalar(std::int64_t step, const std::string& name, double value);
  /// Any lines; Markdown in TensorBoard. Throws ValueError for what is not UTF-8.
  void text(std::int64_t step, const std::string& name, const std::string& text);
  /// How the elements of a tensor of any shape and dtype are spread. Those that are not finite are
  /// left out; nothing is logged where none is left.
  void histogram(std::int64_t step, const std::string& name, const Tensor& values);
  /// A picture with dots. Throws ValueError for one without.
  void image(std::int64_t step, const std::string& name, const Picture& picture);

  /// To be called first where a training goes on after `step`: what an earlier run logged for later
  /// steps is dropped. Without it, a log begins anew. Throws ValueError for a negative step, or
  /// after something was logged; FormatError for a file that is no log.
  void resume(std::int64_t step);
  /// Brings to the file what waits.
  virtual void flush() {}

 private:
  virtual void write_scalar(std::int64_t step, const std::string& name, double value) = 0;
  virtual void write_text(std::int64_t, const std::string&, const std::string&) {}
  virtual void write_histogram(std::int64_t, const std::string&, const Spread&) {}
  virtual void write_image(std::int64_t, const std::string&, const Picture&) {}
  virtual void go_on_after(std::int64_t step) = 0;

  void check(const char* what, std::int64_t step, const std::string& name);

  bool begun_ = false;
};

}  // namespace heed::train
