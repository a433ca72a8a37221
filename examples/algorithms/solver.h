// A model that learns one algorithm from problems that it draws for itself. Four kinds, each with a
// plain form to compare with, that lacks the one part that the kind is about:
//
//   machine     a neural Turing machine          plain: an LSTM, no memory
//   ponderer    adaptive computation time        plain: the cell takes one step at each input
//   pointing    a pointer network                plain: its keys are numbered places, not what it read
//   programming a neural programmer              plain: an LSTM reads question and table
#pragma once

#include <memory>

#include "../../heed.h"
#include "../../train/train.h"

namespace algorithms {

using namespace heed;  // an application speaks the library's language
using data::Lengths;

struct Task {
  std::string name, kind, unit, problem;  ///< "bits" of "sequences" are counted
  Index hidden;
  Lengths trained;
  Index tested;  ///< longer problems; 0: none can be read
  Index epochs, batch;
  double lr, clip;
  Index heads = 1, look = 1;  ///< a machine's; epochs from one look at problems held back on
};
const Task& task_of(const std::string& name);  ///< a known one

struct ModelOptions {
  std::string task = "copy";
  bool plain = false;
  Index hidden = 0, shortest = 0, longest = 0, heads = 0;  ///< 0: the task's
  Index bits = 8, slots = 128, slot_width = 20, columns = 1;
  bool recurrent = false;
  double ponder = 1e-3;
  void fields(io::Fields& f);
};

class Solver : public nn::Module {
 public:
  explicit Solver(const ModelOptions& given) : options(given) {}
  ModelOptions options;
  double done = 0;  ///< of the training, 0 to 1

  const Task& task() const { return task_of(options.task); }
  Lengths trained() const { return {options.shortest, options.longest}; }
  /// Of `batch` problems drawn from the generator.
  virtual Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const = 0;
  virtual train::Tally score(Index batch, const Lengths& lengths, Generator& generator) const = 0;
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
std::unique_ptr<Solver> load_solver(const std::string& folder);  ///< throws IoError, FormatError

/// Over `problems` problems, always the same for a seed.
train::Tally evaluate(Solver& solver, Index problems, const Lengths& lengths, std::uint64_t seed);
constexpr Index kEpoch = 100;  ///< steps
/// Afterwards solver and folder hold the best weights. Throws ValueError, IoError, FormatError for
/// a run that cannot be resumed.
train::Training train_solver(Solver& solver, const train::FitOptions& fit);

}  // namespace algorithms
