#include <algorithm>

#include "../autograd/ops/index/sort.h"
#include "../autograd/ops/normalise/softmax.h"
#include "../autograd/ops/reduce/cumulative.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/reduce/statistics.h"
#include "operators.h"

namespace bench::operators {

std::vector<Operator> reductions() {
  using Axes = std::vector<Index>;
  return {
      same("sum", matrices(1), [](auto& x) { return sum(x[0]); }),
      same("sum, axis 0", matrices(1), [](auto& x) { return sum(x[0], Axes{0}); }),
      same("sum, axis -1", matrices(1), [](auto& x) { return sum(x[0], Axes{-1}); }),
      same("mean", matrices(1), [](auto& x) { return mean(x[0]); }),
      same("mean, axis -1", matrices(1), [](auto& x) { return mean(x[0], Axes{-1}); }),
      both(
          "var", matrices(1), [](H x) { return var(x[0]); }, [](T x) { return torch::var(x[0]); })
          .from(100),
      both(
          "var, axis -1", matrices(1), [](H x) { return var(x[0], {-1}); },
          [](T x) { return torch::var(x[0], Axes{-1}); })
          .from(100),
      same("amax", matrices(1),
           [](auto& x) {
             return amax(x[0], Axes{0, 1});
           }),
      same("amax, axis -1", matrices(1), [](auto& x) { return amax(x[0], Axes{-1}); }),
      same("argmax, axis -1", matrices(1), [](auto& x) { return argmax(x[0], -1); }).forward_only(),
      same("cumsum, axis -1", matrices(1), [](auto& x) { return cumsum(x[0], -1); }),
      same("cumsum, axis 0", matrices(1), [](auto& x) { return cumsum(x[0], 0); }),
      same("softmax", matrices(1), [](auto& x) { return softmax(x[0], -1); }),
      same("softmax, axis 0", matrices(1), [](auto& x) { return softmax(x[0], 0); }),
      same("log_softmax", matrices(1), [](auto& x) { return log_softmax(x[0], -1); }),
      both(
          "sort", matrices(1), [](H x) { return sort(x[0]).values; },
          [](T x) { return std::get<0>(torch::sort(x[0])); }),
      both(
          "topk 10", matrices(1),
          [](H x) { return topk(x[0], std::min<Index>(10, x[0].size(1))).values; },
          [](T x) { return std::get<0>(torch::topk(x[0], std::min<Index>(10, x[0].size(1)))); }),
  };
}

}  // namespace bench::operators
