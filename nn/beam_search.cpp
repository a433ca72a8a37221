#include "beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "beam_choices.h"
#include "beam_constraints.h"

namespace heed::nn {
namespace {

using detail::Candidate, detail::Choices, detail::Constraints, detail::WrittenRow;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A text that `word` brought to its end after `row` at `step`; what is before stands in the trail.
struct Text {
  double log_p, score;
  Index step, row, word;
  bool finished;
};

bool better(const Text& a, const Text& b) {
  return a.finished != b.finished ? a.finished : a.score > b.score;
}

// A source in the batch: its rows are neighbours, the likeliest first.
struct Beam {
  Index source, rows;
  std::vector<Text> texts = {};  // best first
};

void check_word(const char* name, Index word, Index words) {
  if (word < 0) {
    throw ValueError(fmt::format("beam_search: {} must not be negative: {}", name, word));
  }
  if (word >= words) {
    throw ValueError(fmt::format("beam_search: {} {} is not among {} words", name, word, words));
  }
}

void check_words(const BeamSearchOptions& options, Index words) {
  check_word("begin", options.begin, words);
  check_word("end", options.end, words);
  for (const Index word : options.forbidden) check_word("forbidden", word, words);
}

void check_penalty(const char* name, double value) {
  if (!(value >= 0 && std::isfinite(value))) {
    throw ValueError(
        fmt::format("beam_search: {} must be finite and not negative: {}", name, value));
  }
}

void check(Index sources, const BeamSearchOptions& options) {
  if (sources < 0) {
    throw ValueError(fmt::format("beam_search: sources must not be negative: {}", sources));
  }
  if (options.beam < 1) {
    throw ValueError(fmt::format("beam_search: beam must be positive, not {}", options.beam));
  }
  if (options.n_best < 1 || options.n_best > options.beam) {
    throw ValueError(fmt::format("beam_search: n_best must be in [1, beam {}], not {}",
                                 options.beam, options.n_best));
  }
  check_penalty("length_penalty", options.length_penalty);
  check_penalty("coverage_penalty", options.coverage_penalty);
  check_words(options, std::numeric_limits<Index>::max());
  if (options.longest.empty()) return;
  if (std::ssize(options.longest) != sources) {
    throw ValueError(fmt::format("beam_search: longest has {} entries for {} sources",
                                 options.longest.size(), sources));
  }
  for (const Index longest : options.longest) {
    if (longest < 1) {
      throw ValueError(fmt::format("beam_search: longest must be positive, not {}", longest));
    }
  }
}

// `columns` below 0: any number.
void check_block(const char* what, const Tensor& x, Index rows, Index columns) {
  if (!x.defined() || x.rank() != 2 || x.size(0) != rows ||
      (columns >= 0 && x.size(1) != columns)) {
    const std::string wanted = columns < 0 ? "any" : std::to_string(columns);
    throw ShapeError(
        fmt::format("beam_search: {} must be [{}, {}], not {}", what, rows, wanted, describe(x)));
  }
  if (!is_computed(x.dtype())) {
    throw DTypeError(fmt::format("beam_search: {} must be f32 or f64, not {}", what, describe(x)));
  }
}

class Search {
 public:
  Search(Decoding& decoding, Index sources, const BeamSearchOptions& options)
      : decoding_(decoding),
        options_(options),
        constraints_(options, sources),
        asks_weights_(options.need_weights || options.coverage_penalty > 0),
        found_(at(sources)),
        log_p_(at(sources), 0.0),
        words_(at(sources), options.begin) {
    for (Index source = 0; source < sources; ++source) {
      beams_.push_back({source, 1});
      if (constraints_.any()) written_.push_back({source, {}});
    }
  }

  std::vector<std::vector<Hypothesis>> run() {
    for (Index step = 0; !beams_.empty(); ++step) {
      const Tensor logits = ask(step);
      if (step == 0) {
        check_words(options_, logits.size(1));
        constraints_.check_words(logits.size(1));
        choices_.emplace(options_.end, options_.forbidden, options_.beam, logits.size(1));
      }
      const bool constrained = constraints_.any();
      if (constrained) choices_->check(logits.array(), step);
      choices_->choose(constrained ? constraints_.apply(logits.array(), written_) : logits.array(),
                       step, constrained);
      advance(step);
    }
    return std::move(found_);
  }

 private:
  // One step of the decoding, checked.
  Tensor ask(Index step) {
    Tensor weights;
    const Index rows = std::ssize(words_);
    Tensor logits = decoding_.step(Array::from(words_), asks_weights_ ? &weights : nullptr);
    check_block("scores", logits, rows, step > 0 ? choices_->words() : -1);
    if (!asks_weights_) return logits;
    if (!weights.defined() && step == 0) {
      if (options_.coverage_penalty > 0) {
        throw ValueError("beam_search: coverage_penalty needs a decoder that gives weights");
      }
      asks_weights_ = false;
      return logits;
    }
    check_block("weights", weights, rows, step > 0 ? weights_.front().size(1) : -1);
    if (step > 0 && weights.dtype() != weights_.front().dtype()) {
      throw DTypeError("beam_search: weights change their dtype");
    }
    weights_.push_back(weights.array().contiguous());
    return logits;
  }

  // Chooses the rows of the next step.
  void advance(Index step) {
    std::vector<Beam> going;
    std::vector<double> log_p;
    std::vector<Index> words, rows;
    bool same_places = true;  // of every source
    Index first = 0;
    for (Beam& beam : beams_) {
      const Index last = first + beam.rows;
      candidates_.clear();
      choices_->append(first, last, log_p_, candidates_);
      const std::size_t kept = rows.size();
      extend(beam, step, log_p, words, rows);
      if (candidates_.empty() && beam.texts.empty()) cut(beam, step, first, last);
      const Index count = std::ssize(rows) - static_cast<Index>(kept);
      if (is_done(beam, count > 0 ? &log_p[kept] : nullptr)) {
        log_p.resize(kept), words.resize(kept), rows.resize(kept);
        for (Index i = 0; i < std::min(options_.n_best, std::ssize(beam.texts)); ++i) {
          found_[at(beam.source)].push_back(hypothesis(beam.texts[at(i)]));
        }
        same_places = false;
      } else {
        same_places = same_places && count == beam.rows;
        beam.rows = count;
        going.push_back(std::move(beam));
      }
      first = last;
    }
    bool same_rows = same_places;
    for (Index i = 0; same_rows && i < std::ssize(rows); ++i) same_rows = rows[at(i)] == i;
    if (!rows.empty() && !same_rows) decoding_.reorder(Array::from(rows), !same_places);
    beams_ = std::move(going);
    if (constraints_.any()) remember(rows, words);
    log_p_ = std::move(log_p);
    words_ = words;
    trail_.push_back({std::move(rows), std::move(words)});
  }

  // The texts of the next step's rows.
  void remember(const std::vector<Index>& rows, const std::vector<Index>& words) {
    std::vector<WrittenRow> next;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      next.push_back(written_[at(rows[i])]);
      next.back().words.push_back(words[i]);
    }
    written_ = std::move(next);
  }

  // Of the source's candidates those that end go to its texts, if they are among the best `beam`;
  // the best `beam` others are appended, or cut.
  void extend(Beam& beam, Index step, std::vector<double>& log_p, std::vector<Index>& words,
              std::vector<Index>& rows) {
    const Index enough =
        std::min(2 * std::min(options_.beam, std::ssize(candidates_)), std::ssize(candidates_));
    std::partial_sort(candidates_.begin(), candidates_.begin() + enough, candidates_.end());
    const bool last = step + 1 == longest(beam.source);
    Index going = 0;
    for (Index i = 0; i < enough && going < options_.beam; ++i) {
      const Candidate& next = candidates_[at(i)];
      const bool ends = next.word == options_.end;
      if (ends && i >= options_.beam) continue;
      going += ends ? 0 : 1;
      if (ends || last) {
        Text text{next.log_p, 0, step, next.row, next.word, ends};
        text.score = next.log_p / length_factor(step + 1) + coverage(text);
        beam.texts.insert(std::upper_bound(beam.texts.begin(), beam.texts.end(), text, better),
                          text);
      } else {
        log_p.push_back(next.log_p);
        words.push_back(next.word);
        rows.push_back(next.row);
      }
    }
  }

  // None of the source's rows has a word that may follow: where constraints took the last of them,
  // the rows are its texts.
  void cut(Beam& beam, Index step, Index first, Index last) {
    if (!constraints_.any() || !choices_->any_open(first, last)) {
      throw ValueError(
          fmt::format("beam_search: no word that source {} may write has a finite score at step {}",
                      beam.source, step));
    }
    if (step == 0) {
      throw ValueError(fmt::format(
          "beam_search: no word that source {} may write is left by the constraints at step 0",
          beam.source));
    }
    for (Index row = first; row < last; ++row) {
      Text text{log_p_[at(row)], 0, step - 1, trail_.back().rows[at(row)], words_[at(row)], false};
      text.score = text.log_p / length_factor(step) + coverage(text);
      beam.texts.insert(std::upper_bound(beam.texts.begin(), beam.texts.end(), text, better), text);
    }
  }

  // `best`: log-probability of the likeliest row that goes on, null if none does.
  bool is_done(const Beam& beam, const double* best) const {
    if (!best || std::ssize(beam.texts) >= options_.beam) return true;
    // What a row can still reach: as likely as now, at the longest, all covered.
    return std::ssize(beam.texts) >= options_.n_best &&
           *best / length_factor(longest(beam.source)) <= beam.texts[at(options_.n_best - 1)].score;
  }

  Index longest(Index source) const {
    constexpr Index kLongest = 100;
    return options_.longest.empty() ? kLongest : options_.longest[at(source)];
  }

  double length_factor(Index length) const {
    return std::pow((5 + static_cast<double>(length)) / 6, options_.length_penalty);
  }

  // The rows of each step behind which the text's words were chosen.
  std::vector<Index> path(const Text& text) const {
    std::vector<Index> out(at(text.step + 1), text.row);
    for (Index step = text.step; step-- > 0;) {
      out[at(step)] = trail_[at(step)].rows[at(out[at(step + 1)])];
    }
    return out;
  }

  double coverage(const Text& text) const {
    if (options_.coverage_penalty == 0) return 0;
    const std::vector<Index> rows = path(text);
    std::vector<double> totals(at(weights_.front().size(1)), 0.0);
    visit_floating("beam_search", weights_.front().dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t step = 0; step < rows.size(); ++step) {
        const T* from = weights_[step].data<T>() + rows[step] * std::ssize(totals);
        for (double& total : totals) total += static_cast<double>(*from++);
      }
    });
    double out = 0;
    for (const double total : totals) {
      if (total > 0) out += std::log(std::min(total, 1.0));
    }
    return options_.coverage_penalty * out;
  }

  Hypothesis hypothesis(const Text& text) const {
    const std::vector<Index> rows = path(text);
    Hypothesis out{{}, text.log_p, text.score, text.finished};
    for (std::size_t step = 0; step + 1 < rows.size(); ++step) {
      out.words.push_back(trail_[step].words[at(rows[step + 1])]);
    }
    if (!text.finished) out.words.push_back(text.word);
    if (!options_.need_weights || weights_.empty()) return out;
    out.weights = Array::empty({text.step + 1, weights_.front().size(1)}, weights_.front().dtype());
    const std::size_t bytes = at(out.weights.size(1)) * size_of(out.weights.dtype());
    for (std::size_t step = 0; step < rows.size(); ++step) {
      std::copy_n(weights_[step].raw() + at(rows[step]) * bytes, bytes,
                  out.weights.mutable_raw() + step * bytes);
    }
    return out;
  }

  // How the rows of the step after came about.
  struct Turn {
    std::vector<Index> rows, words;
  };

  Decoding& decoding_;
  const BeamSearchOptions& options_;
  const Constraints constraints_;
  std::vector<WrittenRow> written_;  // each row's text, where there are constraints
  bool asks_weights_;
  std::vector<std::vector<Hypothesis>> found_;
  std::vector<Beam> beams_;
  std::vector<double> log_p_;          // of each row
  std::vector<Index> words_;           // the last of each row
  std::vector<Turn> trail_;            // of each step
  std::vector<Array> weights_;         // of each step
  std::optional<Choices> choices_;     // from the first step on
  std::vector<Candidate> candidates_;  // of a source
};

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(Decoding& decoding, Index sources,
                                                 const BeamSearchOptions& options) {
  check(sources, options);
  const NoGrad off;
  return Search(decoding, sources, options).run();
}

}  // namespace heed::nn
