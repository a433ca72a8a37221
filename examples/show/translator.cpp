// A translator: its translation, greedily, and where each word of it looked, of all layers and
// heads.
#include <fmt/format.h>

#include <algorithm>

#include "../translation/alignments.h"
#include "../translation/longest.h"
#include "../translation/translate.h"
#include "answer.h"
#include "demonstration.h"

namespace show {
namespace {

using Parts = std::vector<std::string>;

constexpr Index kWords = 64;  // read at most, and written

class TranslatorShow final : public Demonstration {
 public:
  explicit TranslatorShow(const std::string& folder) : language_(translation::load(folder)) {}

  std::string about() const override {
    const translation::ModelOptions& options = language_.model->options;
    return Answer()
        .set("kind", "translator")
        .set("title", "Translation: which word came from where")
        .set("facts", Parts{"model " + options.model,
                            fmt::format("{} words read, {} written", options.source_words,
                                        options.target_words),
                            fmt::format("{} numbers", language_.model->parameter_count())})
        .set("example", example())
        .json();
  }

  std::string answer(const std::string& text) override {
    check_text(text);
    Parts source = language_.source->parts(text.substr(0, text.find('\n')));
    const Index most = translation::has_places(language_.model->options)
                           ? std::min(kWords, language_.model->options.longest)
                           : kWords;
    const Index left_out = std::max<Index>(std::ssize(source) - most, 0);
    source.erase(source.end() - left_out, source.end());
    const std::string line = language_.source->join(source);
    const auto best =
        translation::translate(language_, {line}, {.beam = 1, .longest = kWords}).front();
    train::AlignedSentence seen{source, language_.target->parts(best.front().text), {}};
    std::vector<Answer> looks, self;
    if (!source.empty() && !seen.target.empty() && language_.model->options.model != "seq2seq") {
      seen = translation::align(language_, line, best.front().text);
      for (const train::NamedMatrix& each : seen.matrices) {
        looks.push_back(Answer().set("name", each.name).set("rows", each.weights));
      }
      append_heads(self, "encoder", translation::self_attended(language_, line).layers);
    }
    return Answer()
        .set("source", seen.source)
        .set("target", seen.target)
        .set("left_out", static_cast<double>(left_out))
        .set("looks", looks)
        .set("self", self)
        .json();
  }

 private:
  // Words that it knows, so that the page has something to begin with.
  std::string example() const {
    Parts words;
    const Index first = data::kEnd + 1;
    for (Index id = first; id < std::min(first + 5, language_.source->size()); ++id) {
      words.push_back(language_.source->part(id));
    }
    return language_.source->join(words);
  }

  translation::Language language_;
};

}  // namespace

std::unique_ptr<Demonstration> translator(const std::string& folder) {
  return std::make_unique<TranslatorShow>(folder);
}

}  // namespace show
