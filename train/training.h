// What a training came to: a round for each look at the validation data, with figures of its own.
#pragma once

#include <string>
#include <vector>

#include "../core/shape.h"
#include "../io/training_state.h"
#include "early_stopping.h"

namespace heed::train {

/// A number with a name, as it is printed: `digits` behind the point. Of a part of the validation
/// data `weight` says how much it counts beside the same figure of the others; finite, not negative.
struct Figure {
  std::string name;
  double value = 0;
  int digits = 4;
  double weight = 1;
};
using Figures = std::vector<Figure>;
/// Entries of a training state, under their names. Getting throws FormatError.
void put_figures(io::TrainingState& state, const std::string& under, const Figures& figures);
Figures figures_of(const io::TrainingState& state, const std::string& under);

/// What a part of the validation data came to, and how much of all it is: its figures count by their
/// own weights times this one.
struct Part {
  Figures figures;
  double weight = 1;
};

/// The figure by which models are compared. A word alone: the higher the better.
struct Wanted {
  std::string figure;
  Better better = Better::higher;
  Wanted(const char* name) : figure(name) {}               // NOLINT(google-explicit-constructor)
  Wanted(std::string name, Better which = Better::higher)  // NOLINT(google-explicit-constructor)
      : figure(std::move(name)), better(which) {}
};
inline Wanted highest(const std::string& figure) { return {figure, Better::higher}; }
inline Wanted lowest(const std::string& figure) { return {figure, Better::lower}; }

struct Round {
  Index step = 0;      ///< steps of the optimizer so far
  Index epoch = 0;     ///< passes that are through
  double seconds = 0;  ///< of training, since the round before
  Figures figures;     ///< "train loss" first, then those of the validation
};

struct Training {
  std::vector<Round> rounds;
  /// It was asked to stop: by a signal (of one process, also in its last round), or before its end
  /// by `stop_after`.
  bool interrupted = false;

  /// A figure over the rounds, for charts; NaN where a round has none of the name.
  std::vector<double> curve(const std::string& figure) const;
  std::vector<double> steps() const;
  std::vector<double> epochs() const;
  /// The best round by these figures, a later one deciding where those before are equal; of equals
  /// the first. NaN is never better. -1 without rounds. Throws ValueError for a figure that no
  /// round has.
  Index best(const std::vector<Wanted>& wanted) const;

  /// Entries of a training state. Getting throws FormatError.
  void put(io::TrainingState& state) const;
  void get(const io::TrainingState& state);
};

/// "step 250  train loss 0.1234  validation loss 0.2345  1.2 s", `name` being "step" or "epoch".
std::string to_line(const Round& round, const std::string& name);

}  // namespace heed::train
