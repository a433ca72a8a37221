// A document classifier: its classes, and the words and sentences that it looked at.
#include <fmt/format.h>

#include <utility>

#include "../document_classifier/evaluation.h"
#include "answer.h"
#include "demonstration.h"

namespace show {
namespace {

class ClassifierShow final : public Demonstration {
 public:
  explicit ClassifierShow(const std::string& folder)
      : classifier_(document_classifier::load(folder)) {}

  std::string about() const override {
    const auto& options = classifier_.model->options;
    return Answer()
        .set("kind", "classifier")
        .set("title", "Hierarchical attention: what a document is about")
        .set("facts", std::vector<std::string>{fmt::format("{} classes", options.classes),
                                               fmt::format("{} words known", options.vocabulary),
                                               fmt::format("{} numbers",
                                                           classifier_.model->parameter_count()),
                                               "pooling by " + options.pooling})
        .set("example",
             "The plot was dull . But the music was wonderful , and I loved every minute of it .")
        .json();
  }

  std::string answer(const std::string& text) override {
    check_text(text);
    const document_classifier::Prediction seen = document_classifier::predict(classifier_, text);
    std::vector<Answer> sentences;
    for (const train::AttendedSentence& sentence : seen.text) {
      std::vector<std::string> words;
      std::vector<double> weights;
      for (const train::AttendedWord& word : sentence.words) {
        words.push_back(word.text);
        weights.push_back(word.weight);
      }
      sentences.push_back(
          Answer().set("weight", sentence.weight).set("words", words).set("weights", weights));
    }
    return Answer()
        .set("classes",
             likeliest(seen.probabilities, classifier_.classes, classifier_.classes.size()))
        .set("entropy", entropy(seen.probabilities))
        .set("sentences", sentences)
        .json();
  }

 private:
  document_classifier::Classifier classifier_;
};

}  // namespace

std::unique_ptr<Demonstration> classifier(const std::string& folder) {
  return std::make_unique<ClassifierShow>(folder);
}

}  // namespace show
