#include "answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../data/loader.h"
#include "../../train/attended_passage.h"
#include "../../train/most_looked_at.h"
#include "../../train/percent.h"

namespace cloze {
namespace {

std::vector<double> numbers(const Tensor& x) {
  return x.array().to(DType::f64).to_vector<double>();
}

// The words of the passage with their shares, the likeliest first; a blank, which may be among
// them, is no answer.
std::vector<std::pair<std::string, double>> answers_of(const Cloze& row, const double* shares) {
  std::vector<std::pair<std::string, double>> out;
  for (const std::string& word : data::different_words(row)) {
    if (word != data::kBlank) out.emplace_back(word, *shares);
    ++shares;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace

Answer answer(const Reader& reader, const Cloze& row, const std::string& path) {
  data::ClozeOptions options = reader.model->options.longest;
  options.questions = row.id >= 0;
  data::check_cloze(row, path, options);
  const NoGrad scope;
  reader.model->eval();
  const Reading found = (*reader.model)(data::cloze_batch({row}, reader.numbers), true);
  Answer out;
  out.words = answers_of(row, numbers(found.words).data());
  out.weights = numbers(found.seen.weights);
  if (found.seen.by_query.defined()) {
    out.of_query = numbers(found.seen.of_queries);
    out.by_query = transpose(select(found.seen.by_query, 0, 0), 0, 1).array().to(DType::f64);
  }
  return out;
}

Score evaluate(const Reader& reader, const std::vector<Cloze>& rows) {
  const NoGrad scope;
  reader.model->eval();
  Score out;
  data::Loader batches(rows, {.size = 50, .by = data::passage_length, .shuffle = false});
  while (const auto some = batches.next()) {
    const data::ClozeBatch batch = data::cloze_batch(*some, reader.numbers);
    const Tensor shares = (*reader.model)(batch).words;
    const std::vector<double> all = numbers(shares);
    const double* own = all.data();
    for (const Cloze& row : *some) {
      out.right += answers_of(row, own).front().first == row.answer;
      out.frequent += data::most_frequent_word(row) == row.answer;
      own += batch.candidates;
    }
    out.loss -= sum(log(gather(shares, 1, Tensor(batch.answers)) + 1e-9)).item();
    out.count += std::ssize(*some);
  }
  out.loss /= static_cast<double>(out.count);
  return out;
}

std::string in_text(const Cloze& row, const Answer& found, train::ShadeStyle style) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.words.size(), 3); ++i) {
    const auto& [word, share] = found.words[i];
    out += fmt::format("{}{} {} %", i == 0 ? "" : "  ", word, train::percent(share));
  }
  const train::AttendedText text = train::attended_passage(row.passage, found.weights);
  for (const train::AttendedSentence& sentence : text)
    out += "\n  " + train::shade(sentence, train::largest_share(text), style);
  if (found.of_query.empty()) return out + '\n';
  const train::AttendedText query = train::attended_passage({row.query}, found.of_query);
  return out + "\n  ? " + train::shade(query[0], train::largest_share(query), style) + '\n';
}

train::Picture in_picture(const Cloze& row, const Answer& found) {
  train::Alignment out{"", data::passage_words(row), {}, {}};
  std::vector<double> weights;
  if (!found.of_query.empty()) weights = found.by_query.to_vector<double>();
  for (std::size_t j = 0; j < found.of_query.size(); ++j)
    out.rows.push_back(fmt::format("{} {} %", row.query[j], train::percent(found.of_query[j], 0)));
  out.rows.push_back("all: " + found.words.front().first);
  weights.insert(weights.end(), found.weights.begin(), found.weights.end());
  out.weights = Array::from(weights).reshape({static_cast<Index>(out.rows.size()), -1});
  return train::alignment_picture(train::most_looked_at(out, 80));
}

}  // namespace cloze
