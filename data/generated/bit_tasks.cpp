#include "bit_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data {
namespace {

constexpr Index kMostRepeats = 10;
constexpr double kMeanRepeats = 5.5, kRepeatsDeviation = 2.8722813232690143;  // of 1 .. 10

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// What must be alike within a batch.
struct Form {
  Index vectors, steps, answer;
  friend bool operator==(const Form&, const Form&) = default;
};

Form form_of(BitTask task, const BitProblem& problem) {
  const auto L = static_cast<Index>(problem.vectors.size());
  switch (task) {
    case BitTask::copy: return {L, L + 1, L};
    case BitTask::repeat_copy: return {L, L + 2, L * problem.repeats + 1};
    case BitTask::recall: return {L, L + L / kItemVectors + 2 + kItemVectors, kItemVectors};
    case BitTask::sort: return {L, L + 1, (4 * L + 4) / 5};
  }
  return {};
}

// Writes rows of one problem.
class Rows {
 public:
  Rows(Array& to, Index b) : width_(to.size(2)), row_(to.mutable_data<float>()) {
    row_ += b * to.size(1) * width_;
  }
  void vector(const std::vector<bool>& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) row_[i] = bits[i] ? 1.0F : 0.0F;
  }
  void set(Index channel, double value) { row_[channel] = static_cast<float>(value); }
  void next() { row_ += width_; }

 private:
  Index width_;
  float* row_;
};

// Whether a sign stands before a vector.
bool begins_part(BitTask task, Index vector) {
  return task == BitTask::recall ? vector % kItemVectors == 0
                                 : task == BitTask::repeat_copy && vector == 0;
}

double number_of(const std::string& text) {
  double out = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error == std::errc() && stop == end && std::isfinite(out)) return out;
  throw ValueError(fmt::format("bits: {} is no number", in_quotes(text)));
}

std::vector<bool> bits_of(const std::string& word, Index bits) {
  std::vector<bool> out;
  for (const char c : word) {
    if (c != '0' && c != '1') break;
    out.push_back(c == '1');
  }
  if (out.size() == word.size() && static_cast<Index>(out.size()) == bits) return out;
  throw ValueError(fmt::format("bits: {} is no vector of {} bits", in_quotes(word), bits));
}

// Whole, from the first to the last allowed.
Index count_of(const std::string& word, const char* what, Index least, Index most) {
  const double number = number_of(word);
  if (number == std::floor(number) && number >= static_cast<double>(least) &&
      number <= static_cast<double>(most)) {
    return static_cast<Index>(number);
  }
  throw ValueError(fmt::format("bits: {} must be from {} to {}, not {}", what, least, most, word));
}

}  // namespace

BitTask bit_task(const std::string& name) {
  if (name == "copy") return BitTask::copy;
  if (name == "repeat_copy") return BitTask::repeat_copy;
  if (name == "recall") return BitTask::recall;
  if (name == "sort") return BitTask::sort;
  throw ValueError(fmt::format("bits: there is no task {}", name));
}

BitProblem draw_bit_problem(BitTask task, Index bits, Index length, Index repeats,
                            Generator& generator) {
  const Index least = task == BitTask::recall ? 2 : 1;
  if (bits < 1 || length < least || repeats < 1) {
    throw ValueError(fmt::format("bits: {} bits, length {} and {} repeats: below 1, {} and 1", bits,
                                 length, repeats, least));
  }
  BitProblem out;
  out.repeats = repeats;
  out.vectors.resize(at(task == BitTask::recall ? kItemVectors * length : length));
  for (auto& vector : out.vectors) {
    for (Index i = 0; i < bits; ++i) vector.push_back(generator.below(2) == 1);
    if (task == BitTask::sort) out.priorities.push_back(2 * generator.uniform() - 1);
  }
  if (task == BitTask::recall) out.asked = generator.below(length - 1);
  return out;
}

BitProblem read_bit_problem(BitTask task, Index bits, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  BitProblem out;
  if (words.size() < (task == BitTask::repeat_copy ? 2U : 1U)) {
    throw ValueError("bits: no vectors came");
  }
  if (task == BitTask::repeat_copy) {
    out.repeats = count_of(words.front(), "the number of repeats", 1, 1000);
    words.erase(words.begin());
  }
  std::string asked;
  if (task == BitTask::recall) {
    asked = words.back();
    words.pop_back();
  }
  for (const std::string& word : words) {
    const std::size_t colon = task == BitTask::sort ? word.find(':') : word.size();
    if (colon == std::string::npos) {
      throw ValueError(fmt::format("bits: {} has no priority after a colon", in_quotes(word)));
    }
    out.vectors.push_back(bits_of(word.substr(0, colon), bits));
    if (task == BitTask::sort) out.priorities.push_back(number_of(word.substr(colon + 1)));
  }
  if (task == BitTask::recall) {
    const auto items = static_cast<Index>(words.size()) / kItemVectors;
    if (items < 2 || static_cast<Index>(words.size()) % kItemVectors != 0) {
      throw ValueError(fmt::format("bits: {} vectors are no two or more items of {}", words.size(),
                                   kItemVectors));
    }
    out.asked = count_of(asked, "the item asked for", 1, items - 1) - 1;
  }
  return out;
}

BitSequences bit_sequences(BitTask task, Index bits, const std::vector<BitProblem>& problems) {
  if (problems.empty()) throw ValueError("bits: no problems");
  const Form form = form_of(task, problems.front());
  const auto B = static_cast<Index>(problems.size());
  BitSequences out{Array::zeros({B, form.steps + form.answer, bits + 2}, DType::f32),
                   Array::zeros({B, form.answer, bits + 1}, DType::f32), form.answer};
  for (Index b = 0; b < B; ++b) {
    const BitProblem& problem = problems[at(b)];
    if (form_of(task, problem) != form) throw ValueError("bits: problems of different lengths");
    Rows x(out.x, b), y(out.y, b);
    for (Index i = 0; i < form.vectors; ++i) {
      if (begins_part(task, i)) {
        x.set(bits, 1);
        x.next();
      }
      x.vector(problem.vectors[at(i)]);
      if (task == BitTask::sort) x.set(bits, problem.priorities[at(i)]);
      x.next();
    }
    if (task == BitTask::repeat_copy) {
      x.set(bits + 1, (static_cast<double>(problem.repeats) - kMeanRepeats) / kRepeatsDeviation);
    } else {
      x.set(task == BitTask::copy ? bits : bits + 1, 1);
    }
    std::vector<Index> answers(at(form.vectors));
    std::iota(answers.begin(), answers.end(), Index{0});
    if (task == BitTask::recall) {
      for (Index i = 0; i < kItemVectors; ++i) {
        x.next();
        x.vector(problem.vectors[at(problem.asked * kItemVectors + i)]);
        answers[at(i)] = (problem.asked + 1) * kItemVectors + i;
      }
      x.next();
      x.set(bits + 1, 1);
    } else if (task == BitTask::sort) {
      std::stable_sort(answers.begin(), answers.end(), [&](Index i, Index j) {
        return problem.priorities[at(i)] > problem.priorities[at(j)];
      });
    }
    for (Index i = 0; i < form.answer; ++i, y.next()) {
      if (task == BitTask::repeat_copy && i + 1 == form.answer) {
        y.set(bits, 1);
      } else {
        y.vector(problem.vectors[at(answers[at(i % form.vectors)])]);
      }
    }
  }
  return out;
}

BitSequences draw_bit_sequences(BitTask task, Index bits, Index batch, const Lengths& lengths,
                                Generator& generator) {
  const Index length = lengths.draw(generator);
  const Index repeats = task == BitTask::repeat_copy ? 1 + generator.below(kMostRepeats) : 1;
  std::vector<BitProblem> problems;
  for (Index b = 0; b < batch; ++b) {
    problems.push_back(draw_bit_problem(task, bits, length, repeats, generator));
  }
  return bit_sequences(task, bits, problems);
}

std::string bits_in_text(const Array& y, Index bits) {
  const std::vector<double> numbers = y.to(DType::f64).to_vector<double>();
  std::string out;
  for (Index t = 0; t < y.size(0); ++t) {
    if (t > 0) out += ' ';
    for (Index i = 0; i < bits; ++i) out += numbers[at(t * y.size(1) + i)] > 0.5 ? '1' : '0';
  }
  return out;
}

}  // namespace heed::data
