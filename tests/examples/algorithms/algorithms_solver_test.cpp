// What networks that learn algorithms make of problems of different lengths in one batch.
#include <gtest/gtest.h>

#include "../../../core/generator.h"
#include "../../../examples/algorithms/solver.h"

namespace algorithms {
namespace {

ModelOptions small(const std::string& task) {
  ModelOptions out;
  out.task = task;
  out.plain = true;
  out.hidden = 5;
  return out;
}

// The questions, their numbers and their tables are each filled up in a batch.
TEST(AlgorithmsSolver, AnLstmReadsAQuestionAsAlone) {
  manual_seed(3);
  const auto solver = make_solver(small("tables"));
  const NoGrad scope;
  Generator together(7), alone(7);
  const double found = solver->loss(13, {2, 11}, together).item();
  double sum = 0;
  for (int i = 0; i < 13; ++i) sum += solver->loss(1, {2, 11}, alone).item();
  EXPECT_NEAR(found, sum / 13, 1e-5 * found);
}

// Without pondering each input is given one step; there is none in the padding.
TEST(AlgorithmsSolver, StepsAreCountedOfInputsAlone) {
  manual_seed(3);
  const auto solver = make_solver(small("addition"));
  const NoGrad scope;
  Generator generator(7);
  const train::Tally found = solver->score(7, {1, 5}, generator);
  EXPECT_EQ(found.extra, "steps of pondering");
  EXPECT_NEAR(found.extra_sum / static_cast<double>(found.answers), 1, 1e-12);
}

}  // namespace
}  // namespace algorithms
