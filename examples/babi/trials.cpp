#include "trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <utility>

#include "../../core/parallel.h"
#include "../../train/percent.h"
#include "../../train/team.h"

namespace babi {
namespace {

// Sukhbaatar et al. 2015, 1,000 questions a task, 3 hops, position encoding, linear start, random
// noise, in per cent: a model for each task alone, and one of all jointly.
constexpr double kAlone[kTasks] = {0.0, 8.3, 40.3, 2.8, 13.1, 7.6, 17.3, 10.0, 13.2, 15.1,
                                   0.9, 0.2, 0.4,  1.7, 0.0,  1.3, 51.0, 11.1, 82.8, 0.0};
constexpr double kJoint[kTasks] = {0.0, 13.1, 23.4, 5.9, 12.9, 3.7, 22.9, 9.1,  2.7,  7.2,
                                   0.8, 0.1,  0.1,  4.2, 0.0,  1.2, 43.6, 10.5, 86.7, 0.0};

struct Prepared {
  ModelOptions model;
  data::Vocabulary vocabulary;
  std::vector<Example> train;
  std::vector<std::vector<Example>> tests;  // of each task
};

Prepared prepare(const Subject& subject, const ModelOptions& model) {
  Prepared out{model, vocabulary_of(subject.tasks), {}, {}};
  out.model.vocabulary = out.vocabulary.size();
  for (const Task& task : subject.tasks) {
    const auto train = encode(task.train, out.vocabulary, model.slots);
    out.train.insert(out.train.end(), train.begin(), train.end());
    out.tests.push_back(encode(task.test, out.vocabulary, model.slots));
  }
  // No more memories than any story fills.
  std::size_t most = 1;
  for (const Example& example : out.train) most = std::max(most, example.sentences.size());
  out.model.slots = std::min(model.slots, static_cast<Index>(most));
  return out;
}

// The best trial of a subject so far: of equal ones the first, whichever was done first.
struct Best {
  std::pair<double, std::uint64_t> loss = {INFINITY, std::numeric_limits<std::uint64_t>::max()};
  std::vector<Result> results = {};
};

}  // namespace

Trials run_trials(const std::vector<Subject>& subjects, const TrialOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::vector<Prepared> prepared;
  for (const Subject& subject : subjects) prepared.push_back(prepare(subject, options.model));
  std::vector<Best> best(subjects.size());
  Trials out;
  std::mutex mutex;
  const auto run = [&](Index job, Index) {
    const auto s = static_cast<std::size_t>(job / options.seeds);
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(job % options.seeds);
    const Prepared& data = prepared[s];
    const Training training = train_model(data.model, data.train, options.trainer, seed);
    std::vector<Result> results;
    for (std::size_t t = 0; t < data.tests.size() && !training.interrupted; ++t)
      results.push_back(
          {subjects[s].tasks[t].number, evaluate(*training.model, data.tests[t]).error});
    const std::lock_guard lock(mutex);
    out.interrupted = out.interrupted || training.interrupted;
    if (training.interrupted) return;
    fmt::print("{}  seed {}  linear epochs {}  train loss {:.4f}  test error {} %  {:.1f} s\n",
               subjects[s].name, seed, training.linear_epochs, training.train_loss,
               train::percent(mean_error(results)), training.seconds);
    std::fflush(stdout);
    const double loss = std::isnan(training.train_loss) ? INFINITY : training.train_loss;
    if (std::pair(loss, seed) >= best[s].loss) return;
    best[s] = {{loss, seed}, results};
    save(*training.model, data.model, data.vocabulary, subjects[s].folder);
    out.saved = true;
  };
  const Index jobs = static_cast<Index>(subjects.size()) * options.seeds;
  if (train::team()) {  // processes meet in each trial: one at a time, in one order, in one thread
    for (Index job = 0; job < jobs && !out.interrupted; ++job) run(job, job + 1);
  } else {
    parallel_for(jobs, 1, run);
  }
  for (const Best& of : best)
    out.results.insert(out.results.end(), of.results.begin(), of.results.end());
  out.minutes = std::chrono::duration<double, std::ratio<60>>(Clock::now() - begin).count();
  return out;
}

double mean_error(const std::vector<Result>& results) {
  double sum = 0;
  for (const Result& result : results) sum += result.error;
  return results.empty() ? 0 : sum / static_cast<double>(results.size());
}

std::string table_of(const std::vector<Result>& results, Published published) {
  const double* const paper = published == Published::alone   ? kAlone
                              : published == Published::joint ? kJoint
                                                              : nullptr;
  std::string out = "task  error %";
  if (paper) out += published == Published::joint ? "  paper, jointly" : "  paper,   alone";
  out += '\n';
  std::vector<Result> theirs;
  for (const Result& result : results) {
    out += fmt::format("{:>4}  {:>7}", result.task, train::percent(result.error));
    if (paper) {
      theirs.push_back({result.task, paper[result.task - 1] / 100});
      out += fmt::format("  {:>14.1f}", paper[result.task - 1]);
    }
    out += '\n';
  }
  out += fmt::format("mean  {:>7}", train::percent(mean_error(results)));
  if (paper) out += fmt::format("  {:>14.1f}", 100 * mean_error(theirs));
  return out + '\n';
}

}  // namespace babi
