// The gradients of one step, of pieces that several processes have, summed everywhere to the same
// bits for any number of them (tree_sum.h). A dense one travels twice, as in any ring: in parts to
// the process that sums that part, and the sums to all. Gradients that hold only rows travel as rows.
#pragma once

#include <utility>
#include <vector>

#include "../autograd/tensor.h"
#include "tree_sum.h"
#include "world.h"

namespace heed::distributed {

class GradientSum {
 public:
  /// Pieces 0 .. count - 1, of which this process has block_of(). Throws ValueError for fewer pieces
  /// than processes.
  GradientSum(const World& world, const std::vector<Tensor>& parameters, Index count);
  Index first() const { return block_.first; }
  Index last() const { return block_.second; }

  /// Takes the gradients that the parameters have, as those of a piece; in ascending order, and what
  /// is left out has none.
  void take(Index piece);
  /// Leaves the sums in grad() of all parameters; where no process had one, there is none.
  void finish();

 private:
  struct Add {
    void operator()(Tensor& left, Tensor&& right) const;
  };
  using Tree = TreeSum<Tensor, Add>;
  void skip_to(Index piece);
  void sum_rows(std::size_t p);
  void sum_dense(const std::vector<std::size_t>& which, DType dtype);

  const World& world_;
  std::vector<Tensor> parameters_;
  Index count_, next_;
  std::pair<Index, Index> block_;
  std::vector<Tree> trees_;  // of each parameter
};

}  // namespace heed::distributed
