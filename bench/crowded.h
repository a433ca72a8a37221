// The row crowded: what other work on the processors costs. Three of our programs run alone, beside
// as many busy loops as there are processors, and beside twice as many, in turns. With as many
// threads as processors the fair share of the time is then a half and a third; what a step takes is
// held against that.
#pragma once

#include <string>
#include <vector>

namespace bench::crowded {

inline constexpr const char* kName = "crowded";
inline constexpr double kTarget = 1.5;

struct Case {
  std::string row;
  int loops;
  double ms, quiet_ms;
  double share;  ///< by how much longer a step should take

  double ratio() const { return ms / quiet_ms / share; }
};

struct Result {
  int threads = 0;
  std::vector<Case> cases;

  /// The worst of the cases.
  double ratio() const;
  bool met() const { return ratio() <= kTarget; }
};

/// Measures and prints.
Result measure(int threads, int repeats);

}  // namespace bench::crowded
