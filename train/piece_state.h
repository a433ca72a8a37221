// What a piece of a batch may change besides gradients (generators, buffers of the model, what the
// run carries), kept so that each piece finds what the step began with, whoever worked on the
// pieces before it. Internal to train.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../core/generator.h"
#include "../io/training_state.h"
#include "../nn/module.h"

namespace heed::train {

/// Something that a run carries, as Run::carry() was given it.
struct Carried {
  std::function<void(io::TrainingState&)> put;
  std::function<void(const io::TrainingState&)> get;
  Generator* generator = nullptr;  ///< it itself, where it is one
};

/// As many as there are at the time, off the tape.
Carried carried_tensors(const std::string& key, std::vector<Tensor>& tensors);

class PieceState {
 public:
  /// A step begins. All outlive this.
  PieceState(nn::Module& model, const std::vector<Carried>& carried);

  /// Piece m begins: each generator draws from a stream of its own, decided by where it stood and
  /// m; all else is as it was at the begin.
  void begin(Index m);
  /// What the piece that was just done left behind: buffers and carried things, no generators.
  /// Never empty.
  std::string left();
  /// The step is over, and `left` is what its last piece left behind, here or elsewhere; empty
  /// where there was no piece. What pieces before it left is forgotten.
  void end(const std::string& left);

 private:
  struct Buffer {
    std::string name;
    Tensor tensor;
    Array here;     // where its numbers stand
    Array numbers;  // as the step found them
    std::uint32_t version;
  };
  /// Those that were written to, or whose member was assigned, since they were looked at last.
  std::vector<Buffer*> changed();
  static void set(Buffer& buffer, const Array& numbers);

  nn::Module& model_;
  std::vector<Generator*> generators_;
  std::vector<Generator::State> begun_;
  std::vector<const Carried*> others_;
  std::vector<Buffer> buffers_;
  std::string before_;  // of the others
  bool fresh_ = true;
};

}  // namespace heed::train
