// Several seeds for each model, side by side on all cores, and of each the one with the lowest
// training loss; and the paper's figures to compare with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer.h"

namespace babi {

/// One model to be trained: on one task, or on several jointly.
struct Subject {
  std::string name;  ///< "task 1", "joint"
  std::vector<Task> tasks;
  std::string folder;  ///< of the model
};

struct TrialOptions {
  ModelOptions model;  ///< but for the vocabulary
  TrainerOptions trainer;
  Index seeds = 1;
  std::uint64_t seed = 1;  ///< the first
};

struct Result {
  int task;
  double error;  ///< of the test questions
};

struct Trials {
  std::vector<Result> results;  ///< of each task of each subject
  double minutes = 0;
  bool interrupted = false;
  bool saved = false;  ///< some subject's folder holds a model of these trials
};

/// Prints a line a trial; the folder of each subject holds its best model so far. The same results
/// for any number of threads. Trials that processes share (train/team.h) come one after the other.
Trials run_trials(const std::vector<Subject>& subjects, const TrialOptions& options);

/// Whose figures stand beside ours: the paper's of a model for each task, or of one for all.
enum class Published { none, alone, joint };

/// In per cent, a line a task and their mean, beside the paper's.
std::string table_of(const std::vector<Result>& results, Published published);
double mean_error(const std::vector<Result>& results);

}  // namespace babi
