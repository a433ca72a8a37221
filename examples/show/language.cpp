// A language model: how much each token surprised it, what it expects next, and where each head
// looked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../language_model/model.h"
#include "answer.h"
#include "demonstration.h"

namespace show {
namespace {

constexpr Index kTokens = 96;  // the last ones are read
constexpr std::size_t kLikeliest = 8;

class LanguageShow final : public Demonstration {
 public:
  explicit LanguageShow(const std::string& folder) : language_(language_model::load(folder)) {
    for (Index id = 0; id < language_.vocabulary.size(); ++id) {
      names_.push_back(shown(language_.vocabulary.word(id)));
    }
  }

  std::string about() const override {
    const language_model::ModelOptions& options = language_.model->options;
    return Answer()
        .set("kind", "language")
        .set("title", "A language model: what it expects, and where it looks")
        .set("facts",
             std::vector<std::string>{
                 fmt::format("{} layers, {} heads", options.layers, options.heads),
                 fmt::format("{} tokens known", options.vocabulary),
                 "attention " + options.attention,
                 fmt::format("{} numbers", language_.model->parameter_count())})
        .set("example", "the king said that he would ")
        .json();
  }

  std::string answer(const std::string& text) override {
    check_text(text);
    std::vector<Index> ids = data::encode(text, language_.level, language_.vocabulary);
    const Index most = std::min(kTokens, language_.model->options.context);
    const Index left_out = std::max<Index>(std::ssize(ids) - most, 0);
    ids.erase(ids.begin(), ids.begin() + left_out);
    std::vector<std::string> words;
    const auto tokens = data::tokens_of(text, language_.level);
    for (auto token = tokens.begin() + left_out; token != tokens.end(); ++token) {
      words.push_back(shown(std::string(*token)));
    }
    Answer out;
    out.set("words", words).set("left_out", static_cast<double>(left_out));
    std::vector<double> surprise, entropies, last;
    std::vector<Answer> looks;
    if (!ids.empty()) {
      const NoGrad scope;
      const auto T = static_cast<Index>(ids.size());
      const Tensor scores = select((*language_.model)(Tensor(Array::from(ids, Shape{1, T}))), 0, 0);
      surprise.push_back(0);  // of the first nothing is known
      for (Index t = 0; t < T; ++t) {
        last = softmax(select(scores, 0, t).array());
        entropies.push_back(entropy(last));
        if (t + 1 < T) {
          const double p = last[static_cast<std::size_t>(ids[static_cast<std::size_t>(t) + 1])];
          surprise.push_back(-std::log2(std::max(p, 1e-30)));
        }
      }
      try {
        append_heads(looks, "layer", language_.model->looks(Tensor(Array::from(ids, Shape{T}))));
      } catch (const ValueError&) {  // of a model that looks at nothing
      }
    }
    return out.set("surprise", surprise)
        .set("entropies", entropies)
        .set("next", likeliest(last, names_, kLikeliest))
        .set("looks", looks)
        .json();
  }

 private:
  // A blank and a line's end are seen as such.
  static std::string shown(const std::string& token) {
    return token == "\n" || token == "<eos>" ? "\u23ce" : token == " " ? "\u2423" : token;
  }

  language_model::Language language_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Demonstration> language(const std::string& folder) {
  return std::make_unique<LanguageShow>(folder);
}

}  // namespace show
