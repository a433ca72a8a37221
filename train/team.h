// Team: processes that train one model together, each on its pieces of every batch. A Run that
// finds one (the component heed::distributed makes it) takes one step for all of them:
//
//   piece m of M   loss_m, its gradient, weighed by its rows or by Loss::weight
//   the gradient   sum_m w_m grad loss_m / sum_m w_m, added over a tree that M alone decides on
//
// so that as many processes as there may be end with the same bits. What is drawn for a piece is
// drawn from generators of its own. Parts of the validation data are shared out, too; one process
// looks at what is validated as a whole, and writes files, and tells the others what came of it.
#pragma once

#include <string>
#include <vector>

#include "../autograd/tensor.h"

namespace heed::train {

class Team {
 public:
  virtual ~Team() = default;
  virtual Index rank() const = 0;
  virtual Index size() const = 0;
  /// Of each batch; the same for any size().
  virtual Index pieces() const = 0;
  /// What must be alike everywhere, and in a run that goes on, in words of one line.
  virtual std::string setting() const = 0;
  bool first() const { return rank() == 0; }

  /// The bytes of the first, everywhere. As all that follows called by all, in the same order.
  virtual std::string from_first(const std::string& bytes) = 0;
  /// Everybody's, in order, everywhere.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;

  /// A step of `count` pieces over these parameters begins. This one has [first, last).
  struct Share {
    Index first, last;
  };
  virtual Share begin(const std::vector<Tensor>& parameters, Index count) = 0;
  /// Walks back from the loss of a piece, in ascending order, and takes its gradients.
  virtual void add(const Tensor& loss, Index piece) = 0;
  /// Leaves the sums in the parameters' grad(), nothing where no piece had one.
  virtual void finish() = 0;
};

/// What all processes said of themselves, in lines. Throws ValueError, in the name of `who`, that
/// names the first process one of whose lines is another than process 0's.
void check_alike(const char* who, const std::vector<std::string>& all);

/// What runs that begin from here on are shared with; null: nobody. Not owned.
void set_team(Team* team);
Team* team();

}  // namespace heed::train
