// Dense gradients of some parameters that travel together. Internal to distributed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gradient_tree.h"
#include "world.h"

namespace heed::distributed {

/// How gradients are added.
enum class Sums : std::uint8_t {
  exact,  ///< over a tree that the pieces alone decide: the same bits for any number of processes
  plain  ///< each process its own pieces, then as MPI likes: fewer bytes where a process has several
         ///< spans of pieces; bits that depend on the number of processes
};

/// From start() on they are on their way to those who sum them, from tell() on the sums are, while
/// this process goes on; finish() waits, the destructor does not. All processes start the same ones
/// in the same order, and tell in that order, too. These call MPI: one thread at a time.
class Bucket {
 public:
  /// `which`: the parameters, of one dtype. `trees` has the sums of this process' spans.
  Bucket(const World& world, const std::vector<Tensor>& parameters, std::vector<std::size_t> which,
         Index pieces, Sums sums);
  ~Bucket();
  Bucket(Bucket&&) noexcept;
  Bucket& operator=(Bucket&&) = delete;

  const std::vector<std::size_t>& parameters() const { return which_; }
  void start(const std::vector<GradientTree>& trees);
  /// Whether all has come that tell() waits for. Lets what is under way go on, where MPI waits to be
  /// asked.
  bool here();
  /// Sums up what has come, and sends it on.
  void tell();
  /// After tell(): the sums [elements of all], one parameter behind the other.
  Array finish();

 private:
  struct Way;  // what MPI reads and writes until it is done
  void pack(const std::vector<GradientTree>& trees);

  const World* world_;
  std::vector<std::size_t> which_;
  std::vector<Index> begins_;  // of each parameter, then the end of all
  Index pieces_, count_;
  DType dtype_;
  Sums sums_;
  std::unique_ptr<Way> way_;
};

}  // namespace heed::distributed
