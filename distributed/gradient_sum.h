// The gradients of one step, of pieces that several processes have, summed everywhere to the same
// bits for any number of them (tree_sum.h). A dense one travels twice, as in any ring: in parts to
// the process that sums that part, and the sums to all. Gradients that hold only rows travel as
// rows.
//
// Those that were dense in the step before set out as soon as the last piece's pass backward is
// done with them, in buckets of some MB, while the pass goes on, and so do their sums
// (under_way.h). All processes start them in one
// order, whatever order their passes have, and what turns out to be otherwise is sent anew at the
// end.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"
#include "under_way.h"

namespace heed::distributed {

/// What the parameters' gradients were in the last step, all processes taken together: 's' dense,
/// 'r' rows, ' ' none; empty before the first.
using GradientKinds = std::string;

class GradientSum {
 public:
  /// Pieces 0 .. count - 1, of which this process has block_of(). Throws ValueError for fewer
  /// pieces than processes, Error after a sum whose gradients had set out here and were not waited for.
  GradientSum(const World& world, const std::vector<Tensor>& parameters, Index count,
              const GradientKinds& expected = {}, Sums sums = Sums::exact);
  Index first() const { return block_.first; }
  Index last() const { return block_.second; }

  /// Where gradients have set out and nobody has waited for them, no sum over this world begins any
  /// more: on another process they may not have, and they would be added to those that follow.
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  /// Walks back from the loss of a piece, in ascending order, and takes its gradients. Throws
  /// ValueError where a parameter has one already.
  void add(const Tensor& loss, Index piece);
  /// Takes the gradients that the parameters have, as those of a piece; in ascending order, and
  /// what is left out has none.
  void take(Index piece);
  /// Leaves the sums in grad() of all parameters; where no process had one, there is none. Returns
  /// what there was.
  GradientKinds finish();

 private:
  void skip_to(Index piece);
  void check_next(Index piece) const;
  void check_no_gradients() const;
  /// One parameter's gradient of this process' last piece.
  void arrive(const Tensor& parameter, const Tensor& gradient);
  void start_buckets(bool all);
  std::vector<Bucket> buckets_of(const std::string& kinds) const;
  void set_sums(Bucket& bucket, const std::string& kinds);
  void sum_rows(std::size_t p);

  const World& world_;
  std::vector<Tensor> parameters_;
  Index count_, next_;
  std::pair<Index, Index> block_;
  Sums sums_;
  std::vector<GradientTree> trees_;  // of each parameter
  std::unordered_map<const TensorImpl*, std::size_t> places_;
  std::vector<bool> arrived_;
  UnderWay expected_;          // of what is expected to be dense, the last parameters first
  bool on_their_way_ = false;  // buckets that nobody waited for
};

}  // namespace heed::distributed
