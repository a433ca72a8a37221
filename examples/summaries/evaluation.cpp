#include "evaluation.h"

#include <algorithm>
#include <numeric>

#include "../../autograd/grad_mode.h"
#include "../../data/loader.h"
#include "../../data/words.h"
#include "../../train/metrics.h"
#include "../../train/repeats.h"

namespace summaries {

std::vector<Answer> answer_all(const Desk& desk, const Articles& articles,
                               const AnswerOptions& how) {
  const NoGrad scope;
  desk.editor->eval();
  data::Loader batches(articles, {.size = 50, .shuffle = false});
  std::vector<Answer> out;
  while (const auto some = batches.next()) {
    const auto answers = desk.editor->answer(*some, desk.vocabulary, how);
    out.insert(out.end(), answers.begin(), answers.end());
  }
  return out;
}

std::vector<Answer> unread(const Articles& articles, const std::vector<Answer>& answers,
                           Generator* generator) {
  std::vector<Answer> out;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<Index> order(articles[i].sentences.size());
    std::iota(order.begin(), order.end(), Index{0});
    if (generator) order = generator->permutation(articles[i].length());
    order.resize(answers[i].picks.size());
    out.push_back({order, articles[i].first_words(answers[i].title.size())});
  }
  return out;
}

Measures measure(const Articles& articles, const std::vector<Answer>& answers,
                 const data::Vocabulary& vocabulary) {
  std::vector<train::RougeText> own, wanted;
  train::RunningMean names, repeated;
  for (std::size_t i = 0; i < articles.size(); ++i) {
    const std::vector<std::string>&title = articles[i].title, &written = answers[i].title;
    const bool picked = !answers[i].picks.empty();
    own.push_back(picked ? articles[i].chosen(answers[i].picks)
                         : train::RougeText{data::joined(written)});
    wanted.push_back(picked ? articles[i].chosen(articles[i].summary)
                            : train::RougeText{data::joined(title)});
    for (std::size_t t = 0; t < title.size(); ++t) {
      if (vocabulary.contains(title[t])) continue;
      names.add(t < written.size() && written[t] == title[t] ? 1 : 0);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(written.size(), 1));
    repeated.add(static_cast<double>(train::repeated_words(written, title)) / count, count);
  }
  return {train::mean_rouge(own, wanted), names.mean(), repeated.mean()};
}

}  // namespace summaries
