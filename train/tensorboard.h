// TensorBoard: a Log as event files for `tensorboard --logdir FOLDER`: scalars, histograms, images
// and text. A file is a list of records (length, its CRC-32C, an Event as a protocol buffer, its
// CRC-32C); each program that logs into a folder has a file of its own, also one that resumes,
// whose first event tells TensorBoard from which step on it takes over.
#pragma once

#include "../io/append_file.h"
#include "log.h"

namespace heed::train {

class TensorBoard final : public Log {
 public:
  /// Creates the folder and a file in it. Throws IoError.
  explicit TensorBoard(const std::string& folder);

  /// "FOLDER/events.out.tfevents.1700000000.host.4711"
  const std::string& path() const { return file_.path(); }

 private:
  void write_scalar(std::int64_t step, const std::string& name, double value) override;
  void write_text(std::int64_t step, const std::string& name, const std::string& text) override;
  void write_histogram(std::int64_t step, const std::string& name, const Spread& spread) override;
  void write_image(std::int64_t step, const std::string& name, const Picture& picture) override;
  void go_on_after(std::int64_t step) override;

  io::AppendFile file_;
};

}  // namespace heed::train
