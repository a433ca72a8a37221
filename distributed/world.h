// World: the processes that mpirun began, and what they say to each other.
//
//   int main(int argc, char** argv) {
//     heed::distributed::World world(argc, argv);
//     ...
//   }                                       // mpirun -n 4 ./program
//
// All calls but rank() and size() are made by all processes, in the same order, from the thread
// that made the world. A process that ends in an error has to say so by fail(): the others would
// wait for it for ever. One of several that an exception takes past its World, uncaught until then,
// ends all as fail() does, without the exception's words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../core/array.h"

namespace heed::distributed {

class World {
 public:
  /// Joins them; begun without mpirun it is alone. Throws Error where MPI cannot begin, or has
  /// been.
  World(int argc, char** argv);
  World();
  /// Waits for all; where an exception is on its way, ends all, as fail() does.
  ~World();
  /// This process by itself, beside a world that lives longer: what one process alone would do.
  struct Alone {};
  World(const World& whole, Alone);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Index rank() const { return rank_; }
  Index size() const { return size_; }
  /// How many of them run on this machine.
  Index size_here() const { return size_here_; }

  /// The bytes of process `from`, everywhere. Throws ValueError for a process that is none.
  std::string broadcast(const std::string& bytes, Index from = 0) const;
  /// Everybody's, in order of the ranks, everywhere.
  std::vector<std::string> gather(const std::string& bytes) const;
  /// Waits for all.
  void barrier() const;

  /// Numbers of one shape and dtype everywhere, or ShapeError, DTypeError, and one `from`, or
  /// ValueError: written over by those of process `from`, in place, whatever their strides.
  void broadcast(Array& numbers, Index from = 0) const;
  /// Those of all, one behind the other: [size, ...]. Shapes are not compared.
  Array all_gather(const Array& numbers) const;
  /// numbers [size, ...], row r for process r -> what the others had for this one, in their order.
  Array all_to_all(const Array& numbers) const;
  /// Sends to `to` and takes from `from` what is of the same shape and dtype there. Throws
  /// ValueError for a process that is none, ShapeError where another count of numbers comes.
  Array exchange(const Array& numbers, Index to, Index from) const;

  /// Ends all processes, with a line on stderr in this one's name; others than the first wait a
  /// moment for those before them, which may have the same to say. Does not return.
  [[noreturn]] void fail(const std::string& why) const;

  struct Handles;  ///< MPI's, for what belongs to this folder
  const Handles& handles() const { return *handles_; }

 private:
  bool ends_ = true;    // MPI, with itself
  int exceptions_ = 0;  // on their way when it began
  Index rank_ = 0, size_ = 1, size_here_ = 1;
  std::unique_ptr<Handles> handles_;
};

}  // namespace heed::distributed
