// A report of a training as one HTML page that needs no network: facts, curves, the confusion
// matrix, and documents whose words are shaded by word x sentence attention. Light or dark as the
// reader's system asks; every text is escaped.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attended_text.h"
#include "metrics.h"

namespace heed::train {

struct ReportDocument {
  std::string truth;  ///< empty when it is not known
  std::string prediction;
  double probability = 0.0;  ///< of the prediction
  AttendedText text;
};

class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}

  /// A figure for the head of the page: ("accuracy", "0.962").
  void add_fact(const std::string& name, const std::string& value);
  /// An SVG of ours (line_chart), put in as it is.
  void add_chart(const std::string& svg);
  /// Throws ValueError unless there is one name a class.
  void add_confusion(const Confusion& confusion, const std::vector<std::string>& classes);
  void add_document(const ReportDocument& document);

  std::string html() const;
  /// Writes html() atomically. Throws IoError.
  void save(const std::string& path) const;

 private:
  std::string title_;
  std::string facts_;
  std::string charts_;
  std::string confusions_;
  std::string documents_;
  bool any_wrong_ = false;
  bool any_evidence_ = false;
};

}  // namespace heed::train
