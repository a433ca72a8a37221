// A pyramid of LSTMs in two directions, the listener of Chan et al. 2016, "Listen, Attend and
// Spell":
// each level reads what the one below it says of two neighbouring steps, side by side, and so is
// half as long.
//
//   h^0 = x, or with a bottom BLSTM(x)
//   h^j = BLSTM([h^{j-1}_{2i}; h^{j-1}_{2i+1}]),  j = 1 .. levels
//
// x [B, T, input] -> output [B, ceil(T / 2^levels), 2 hidden]. Behind a row's end stand zeros, so
// that a row of odd length says the same alone and beside longer ones. A place of the last level
// stands for 2^levels steps; attention over it is that much cheaper, and has that much less to
// choose from. The first level may read more than two of them, `first`: it is the longest, and so
// the dearest.
#pragma once

#include "dropout.h"
#include "lstm.h"
#include "module_list.h"

namespace heed::nn {

struct PyramidalLSTMOptions {
  Index input = 0;
  Index hidden = 0;  ///< of each direction
  Index levels = 3;
  Index first = 2;     ///< steps that the first level reads side by side; the others read two
  bool bottom = true;  ///< an LSTM of the steps as they are, below the pyramid, as in the paper
  double dropout = 0;  ///< of what each level but the first to read says, in training
  DType dtype = DType::f32;
};

struct PyramidOutput {
  Tensor output;               ///< [B, K, 2 hidden], K = ceil(T / 2^levels); 0 in the padding
  std::vector<Index> lengths;  ///< of each row, ceil(length / 2^levels)
};

class PyramidalLSTM : public Module {
 public:
  using Options = PyramidalLSTMOptions;

  /// Throws ValueError unless input, hidden, levels and first are positive, levels at most 16, and
  /// dropout is in [0, 1].
  explicit PyramidalLSTM(const PyramidalLSTMOptions& options);

 private:
  PyramidalLSTMOptions options_;

 public:
  ModuleListOf<LSTM>& layers;  ///< the bottom, where there is one, then the levels
  Dropout& dropout;

  /// lengths: the real steps of each row, none for all T. What stands behind them is not read.
  /// Throws as lstm() does.
  PyramidOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {}) const;
};

}  // namespace heed::nn
