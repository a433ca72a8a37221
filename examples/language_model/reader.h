// What reads a text one token after the other, where it is no Transformer: an LSTM, a long
// short-term memory-network (Cheng et al. 2016), or a memory network (Sukhbaatar et al. 2015,
// section 5) whose memories are the last `context` words. A reader knows no longest text: it may
// go on from what it has read.
#pragma once

#include <memory>
#include <vector>

#include "options.h"

namespace language_model {

class Reader : public nn::Module {
 public:
  /// What it keeps of a text that was read; empty at its begin.
  using Past = std::vector<Tensor>;

  /// x [B, T, width] of ids [B, T] -> [B, T, width], of what stands at t and before. Goes on behind
  /// `past` if there is one, which becomes that behind the last token. `looks`, if given, gets what
  /// each layer looked at, [B, T, T or more]; of an LSTM nothing.
  virtual Tensor operator()(const Tensor& x, const Tensor& ids, Past* past,
                            std::vector<Tensor>* looks = nullptr) const = 0;
};

/// By options.attention: "lstm", "lstmn", "memory"; null for what a Transformer has.
std::shared_ptr<Reader> make_reader(const ModelOptions& options);

}  // namespace language_model
