// A place on a line that satisfies the strong Wolfe conditions (Nocedal & Wright 2006, algorithms
// 3.5 and 3.6), with the safeguards of M. Schmidt's minFunc, which PyTorch's LBFGS has, too:
//
//   f(t) <= f(0) + c1 t f'(0)  and  |f'(t)| <= c2 |f'(0)|,   c1 = 1e-4, c2 = 0.9
#pragma once

#include <functional>

namespace heed::optim {

struct LinePlace {
  double t, loss, slope;
};
/// Looks at a place of the line.
using Line = std::function<LinePlace(double t)>;

/// From `start` (t = 0, a negative slope), first at `t`; at most 25 looks after that. `length` is
/// the largest number of the direction: a bracket shorter than tolerance / length ends the search.
/// Gives the best place seen where no other will do.
LinePlace strong_wolfe(const Line& line, const LinePlace& start, double t, double length,
                       double tolerance);

}  // namespace heed::optim
