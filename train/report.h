// A report of a training as one HTML page that needs no network: facts, curves, the confusion
// matrix, and documents whose words are shaded by word x sentence attention. Light or dark as the
// reader's system asks; every text is escaped. To watch a training in a browser, save it after each
// epoch with what has changed set anew, and let the page load itself again:
//
//   report.refresh(10);                                      // seconds
//   report.set_fact("epoch", "3 of 10");
//   report.set_chart("loss", train::line_chart(series, {}));
//   report.save("report.html");                              // at the end: refresh(0), save once more
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
  /// The same, in the place of the one of that name where there is one.
  void set_fact(const std::string& name, const std::string& value);
  /// An SVG of ours (line_chart), put in as it is.
  void add_chart(const std::string& svg);
  /// The same, in the place of the chart that was set by this name, which is not shown.
  void set_chart(const std::string& name, const std::string& svg);
  /// The page loads itself again every so many seconds; 0, as at first: never. Throws ValueError
  /// for a negative number.
  void refresh(int seconds);
  /// Throws ValueError unless there is one name a class.
  void add_confusion(const Confusion& confusion, const std::vector<std::string>& classes);
  void add_document(const ReportDocument& document);

  std::string html() const;
  /// Writes html() atomically: a reader sees the old page or the new one. It takes milliseconds.
  /// Throws IoError.
  void save(const std::string& path) const;

 private:
  std::string title_;
  struct Named {
    std::string name, html;
  };
  static void set(std::vector<Named>& list, const std::string& name, std::string html);

  int refresh_ = 0;
  std::vector<Named> facts_;
  std::vector<Named> charts_;
  std::string confusions_;
  std::string documents_;
  bool any_wrong_ = false;
  bool any_evidence_ = false;
};

}  // namespace heed::train
