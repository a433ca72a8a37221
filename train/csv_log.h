// CsvLog: a Log as a table, scalars only: a row a step, a column a name.
//
//   step,loss,accuracy
//   100,0.6931,
//   200,0.4127,0.83
//
// Commas, quotes and blanks at the ends of names are quoted as RFC 4180 says; numbers have as many
// digits as it takes to read them back the same, NaN and infinities are nan, inf and -inf.
#pragma once

#include <memory>

#include "../io/append_file.h"
#include "log.h"
#include "step_rows.h"

namespace heed::train {

class CsvLog final : public Log {
 public:
  /// Creates the folders above it. A file that is there stays until something is logged. Throws
  /// IoError.
  explicit CsvLog(const std::string& path);
  /// Writes the last row; call flush() to hear of errors.
  ~CsvLog() override;

  void flush() override;

 private:
  void write_scalar(std::int64_t step, const std::string& name, double value) override;
  void go_on_after(std::int64_t step) override;
  /// The file anew with these columns, where one has come, without the row of the step, and with
  /// this line behind it. Throws IoError; what is known of the file is then as before, so that the
  /// next row tries again.
  void rewrite(std::vector<std::string> columns, const std::string& line);

  io::AppendFile file_;
  std::vector<std::string> columns_;
  bool fresh_ = true;  // what is in the file is of another run
  StepRow row_;
};

}  // namespace heed::train
