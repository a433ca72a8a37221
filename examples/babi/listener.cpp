#include "listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/quoted.h"
#include "../../data/utf8.h"
#include "../../train/percent.h"

namespace babi {
namespace {

constexpr double kShown = 0.05;  // sentences with less of a hop's attention are left out

// In lower case, without full stops and question marks at the end.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : line + ' ') {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte != 0x7f) {
      word += byte < 0x80 ? static_cast<char>(std::tolower(byte)) : c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  while (!out.empty() && (out.back().ends_with('.') || out.back().ends_with('?'))) {
    out.back().pop_back();
    if (out.back().empty()) out.pop_back();
  }
  return out;
}

void check_words(const data::Vocabulary& vocabulary, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (vocabulary.id(word) > data::Vocabulary::kUnknown) continue;
    throw ValueError(fmt::format("the word {} is not among those learned", in_quotes(word)));
  }
}

}  // namespace

std::string Listener::hear(const std::string& line, train::ShadeStyle style) {
  const std::string text = data::repair_utf8(line);
  const std::size_t last = text.find_last_not_of(" \t\r");
  if (last == std::string::npos) {
    end();
    return "";
  }
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) throw ValueError("the line has no words");
  if (text[last] == '?') {
    const std::string out = in_words(answer(words), style);
    asked_ = true;
    return out;
  }
  check_words(reader_.vocabulary, words);
  sentences_.push_back(words);
  return "";
}

void Listener::end() {
  const bool unasked = !asked_ && !sentences_.empty();
  sentences_.clear();
  asked_ = false;
  if (unasked) throw ValueError("the story that ends here has no question");
}

Answer Listener::answer(const std::vector<std::string>& question) const {
  check_words(reader_.vocabulary, question);
  if (sentences_.empty()) throw ValueError("the question has no story before it");
  const data::BabiStory story{sentences_, {{question, "", sentences_.size(), {}, 0}}};
  const Batch batch = batch_of(encode({story}, reader_.vocabulary, reader_.options.slots), {0});
  const NoGrad scope;
  const attention::MemoryNetworkOutput out =
      (*reader_.model)(batch.story, batch.question, {}, true);
  const Tensor chances = softmax(out.logits, -1);
  const Index best = argmax(chances, -1).array().to_vector<Index>()[0];
  Answer answer{reader_.vocabulary.word(best),
                chances.array().to(DType::f64).to_vector<double>()[static_cast<std::size_t>(best)],
                {}};
  for (const Tensor& hop : out.weights)
    answer.weights.push_back(hop.array().to(DType::f64).to_vector<double>());
  return answer;
}

std::string Listener::in_words(const Answer& answer, train::ShadeStyle style) const {
  std::string out;
  for (std::size_t hop = 0; hop < answer.weights.size(); ++hop) {
    const std::vector<double>& weights = answer.weights[hop];
    const std::size_t first = sentences_.size() - weights.size();
    const double least = std::min(kShown, *std::max_element(weights.begin(), weights.end()));
    train::AttendedText text;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] >= least)) continue;
      text.push_back({weights[i], {}});
      for (const std::string& word : sentences_[first + i]) text.back().words.push_back({word, 1});
    }
    out += fmt::format("hop {}\n{}", hop + 1, train::shade(text, style));
  }
  return out + fmt::format("answer {}  ({} %)\n", answer.word, train::percent(answer.probability));
}

}  // namespace babi
