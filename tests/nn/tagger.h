// A small model of a table, two layers and a norm, for tests of weights that are held narrower.
#pragma once

#include "../../autograd/autograd.h"
#include "../../nn/nn.h"

namespace heed::nn {

class Tagger : public Module {
 public:
  explicit Tagger(DType dtype = DType::f32)
      : words(
            child<Embedding>("words", EmbeddingOptions{.count = 53, .width = 32, .dtype = dtype})),
        hidden(child<Linear>("hidden", 32, 67, true, dtype)),
        norm(child<LayerNorm>("norm", Shape{67}, 1e-5, true, dtype)),
        out(child<Linear>("out", 67, 17, false, dtype)) {}
  Embedding& words;
  Linear& hidden;
  LayerNorm& norm;
  Linear& out;
  Tensor operator()(const Tensor& ids) const {
    const Scope scope(*this);
    return forwarded(out(norm(relu(hidden(words(ids))))));
  }
};

}  // namespace heed::nn
