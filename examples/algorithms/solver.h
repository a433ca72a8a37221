// A model that learns one algorithm from problems that it draws for itself. Four kinds, each with a
// plain form to compare with, that lacks the one part that the kind is about:
//
//   machine     a neural Turing machine          plain: an LSTM, no memory
//   ponderer    adaptive computation time        plain: the cell takes one step at each input
//   pointing    a pointer network                plain: a decoder chooses among numbered places
//   programming a neural programmer              plain: an LSTM reads question and table, and answers
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../core/generator.h"
#include "../../io/fields.h"
#include "../../io/model_directory.h"
#include "../../nn/module.h"
#include "../../train/picture.h"
#include "../../train/training.h"

namespace algorithms {

using namespace heed;  // an application speaks the library's language

/// What a task is by default.
struct Task {
  std::string name, kind;
  std::string unit, problem;        ///< what is counted: "bits" of "sequences"
  Index hidden, shortest, longest;  ///< problems to train on
  Index tested;                     ///< and to test on, longer ones
  Index steps, batch;
  double lr;
};
const std::vector<Task>& tasks();
/// Throws ValueError for a name of none.
const Task& task_of(const std::string& name);

struct ModelOptions {
  std::string task = "copy";
  bool plain = false;
  Index hidden = 0, shortest = 0, longest = 0;  ///< 0: the task's
  Index bits = 8, slots = 128, slot_width = 20;
  bool recurrent = true;
  double ponder = 1e-3;
  Index most_steps = 20;
  Index columns = 1, operations = 4;
  void fields(io::Fields& f);
};

/// What came out of some problems.
struct Score {
  Index wrong = 0, count = 0;      ///< bits, digits, places, or answers
  Index failed = 0, problems = 0;  ///< those with anything wrong
  std::string extra = {};          ///< the name of one more figure, if there is one
  double extra_sum = 0;            ///< over the problems
  double errors() const { return static_cast<double>(wrong) / static_cast<double>(count); }
  double failures() const { return static_cast<double>(failed) / static_cast<double>(problems); }
  void add(const Score& more);
};

/// Problems as long as these.
struct Lengths {
  Index shortest, longest;
};

class Solver : public nn::Module {
 public:
  explicit Solver(const ModelOptions& given) : options(given) {}
  ModelOptions options;

  Lengths trained() const { return {options.shortest, options.longest}; }
  /// Of `batch` problems drawn from the generator.
  virtual Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const = 0;
  virtual Score score(Index batch, const Lengths& lengths, Generator& generator) const = 0;
  /// Of a person's line. Throws ValueError for one that is no problem of the task.
  virtual std::string answer(const std::string& line) const = 0;
  /// Where it looked in one problem of that length.
  virtual train::Picture picture(Index length, Generator& generator) const = 0;
};

std::unique_ptr<Solver> make_machine(const ModelOptions& options);
std::unique_ptr<Solver> make_ponderer(const ModelOptions& options);
std::unique_ptr<Solver> make_pointing(const ModelOptions& options);
std::unique_ptr<Solver> make_programming(const ModelOptions& options);
/// Throws ValueError for options out of range.
std::unique_ptr<Solver> make_solver(ModelOptions options);
io::DirectoryFiles files_of(const Solver& solver);
/// Throws IoError, FormatError.
std::unique_ptr<Solver> load_solver(const std::string& folder);

/// Over `problems` problems, always the same for a seed.
Score evaluate(Solver& solver, Index problems, const Lengths& lengths, std::uint64_t seed);

}  // namespace algorithms
