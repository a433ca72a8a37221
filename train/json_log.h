// JsonLog: a Log as JSON lines: an object a step, with the step, its scalars and texts, and of
// histograms count, mean, std, min and max.
//
//   {"step":100,"loss":0.6931,"weights":{"count":64,"mean":0.01,"std":0.2,"min":-0.5,"max":0.5}}
//
// What JSON has no number for (NaN, infinities) is null; images are dropped.
#pragma once

#include "../io/append_file.h"
#include "log.h"
#include "step_rows.h"

namespace heed::train {

class JsonLog final : public Log {
 public:
  /// Creates the folders above it. A file that is there stays until something is logged. Throws
  /// IoError.
  explicit JsonLog(const std::string& path);
  /// Writes the last line; call flush() to hear of errors.
  ~JsonLog() override;

  void flush() override;

 private:
  void write_scalar(std::int64_t step, const std::string& name, double value) override;
  void write_text(std::int64_t step, const std::string& name, const std::string& text) override;
  void write_histogram(std::int64_t step, const std::string& name, const Spread& spread) override;
  void go_on_after(std::int64_t step) override;
  void set(std::int64_t step, const std::string& name, std::string json);

  io::AppendFile file_;
  bool fresh_ = true;  // what is in the file is of another run
  StepRow row_;
};

}  // namespace heed::train
