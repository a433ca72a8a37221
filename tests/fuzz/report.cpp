#include "../../train/report.h"

#include "checks.h"
#include "pieces.h"
#include "targets.h"
#include "well_formed.h"

namespace heed::fuzz {
namespace {

// A report of the input's texts or, `harmless`, of as many other ones.
std::string page_of(std::string_view input, bool harmless) {
  Pieces pieces(input);
  const auto text = [&] {
    std::string it = pieces.text();
    return harmless && !it.empty() ? "x" : it;
  };
  train::Report report(text());
  for (int left = pieces.byte() % 3; left > 0; --left) {
    const std::string name = text();
    report.add_fact(name, text());
  }
  const Index classes = pieces.byte() % 3;
  if (classes > 0) {
    train::Confusion confusion(classes);
    confusion.add(0, pieces.byte() % classes);
    std::vector<std::string> names(static_cast<std::size_t>(classes));
    for (std::string& name : names) name = text();
    report.add_confusion(confusion, names);
  }
  for (int left = pieces.byte() % 3; left > 0; --left) {
    train::ReportDocument document;
    const std::string truth = pieces.text(), prediction = pieces.text();
    document.truth = harmless && !truth.empty() ? "x" : truth;
    document.prediction = !harmless ? prediction : truth == prediction ? document.truth : "y";
    document.probability = pieces.number();
    for (int sentences = pieces.byte() % 4; sentences > 0; --sentences) {
      train::AttendedSentence sentence{.weight = pieces.number(), .words = {}};
      sentence.evidence = pieces.byte() % 2 == 1;
      for (int words = pieces.byte() % 5; words > 0; --words) {
        const std::string word = text();
        sentence.words.push_back({word, pieces.number()});
      }
      document.text.push_back(sentence);
    }
    report.add_document(document);
  }
  return report.html();
}

}  // namespace

void report(std::string_view input) {
  const std::string page = page_of(input, false);
  require(read_html(page).tags == read_html(page_of(input, true)).tags,
          "texts change no element of a page");
  require(page.size() <= 20000 + 600 * input.size(), "a page follows its texts in size");
}

}  // namespace heed::fuzz
