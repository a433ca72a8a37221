// A function written in Python that is called once, with numbers that note what is done with them:
// what it noted is a program, which runs without Python, whatever the numbers are of (places,
// intervals of places, tensors, strips of a tile). Masks by a rule and score maps are made so.
#pragma once

#include "casters.h"

namespace heed::python {

enum class Does : std::uint8_t {
  constant,  // numbers
  given,
  add,
  subtract,
  multiply,
  divide,
  divide_down,
  remainder,
  power,
  maximum,
  minimum,
  negative,
  abs,
  sign,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  rsqrt,
  square,
  reciprocal,
  sin,
  cos,
  tanh,
  erf,
  sigmoid,
  relu,
  look_up,
  choose,
  always,  // truths
  equal,
  below,
  at_most,
  both,
  either,
  opposite
};

/// One step of a program: from numbers and truths of the steps before, by their places among those.
struct TracedStep {
  Does does;
  std::size_t a = 0, b = 0, c = 0;  ///< `given`, `look_up`: a is which
  double number = 0;
  Index whole = 0;  ///< the number of a rule
  std::vector<std::size_t> at = {};
};

/// What a function does, step by step. Numbers are given to it by their places.
class Program {
 public:
  /// `rule`: of places, which are whole numbers.
  explicit Program(bool rule) : rule_(rule) {}

  bool is_rule() const { return rule_; }
  const std::vector<TracedStep>& steps() const { return steps_; }
  std::size_t numbers() const { return numbers_; }
  std::size_t truths() const { return truths_; }
  /// Which number, or truth, is what the function gives.
  std::size_t result = 0;

  std::size_t add_number(TracedStep step);
  std::size_t add_truth(TracedStep step);

 private:
  bool rule_;
  std::vector<TracedStep> steps_;
  std::size_t numbers_ = 0, truths_ = 0;
};

/// What the function sees.
struct TracedNumber {
  std::shared_ptr<Program> program;
  std::size_t place;
};
struct TracedTruth {
  std::shared_ptr<Program> program;
  std::size_t place;
};
struct TracedTable {
  std::shared_ptr<Program> program;
  std::size_t which;
};

/// Calls `f` with the numbers 0 .. count - 1 that are given and then with `captured`. Throws
/// TypeError for a function of another number of arguments than `counts` allow, or one that gives
/// what is none: a rule a truth, a map a number.
std::shared_ptr<const Program> traced(const char* op, const py::function& f, bool rule,
                                      const std::vector<std::size_t>& counts,
                                      const std::vector<bool>& tables, std::size_t* taken);

}  // namespace heed::python
