// Embedding: a table of vectors, looked up by number. ids i64 [..] -> [.., width].
//
// The gradient of the table holds only the rows that were used (`sparse`, on by default, off in
// PyTorch), and optimizers then touch only those rows of the table and of their own state: a step
// costs what the batch uses, whatever the vocabulary. Rows that a batch does not use get no decay
// and no momentum in that step. With sparse = false every step reaches every row, exactly as in
// PyTorch.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>

#include "bf16.h"
#include "layer.h"

namespace heed::kernels {
class Int8Matrix;
}

namespace heed::nn {

struct EmbeddingOptions {
  Index count = 0;     ///< rows: ids are in [0, count)
  Index width = 0;     ///< numbers a row
  Index padding = -1;  ///< PyTorch's padding_idx: a row of zeros that gets no gradient; -1: none
  bool sparse = true;  ///< gradients hold only the rows used
  DType dtype = DType::f32;
};

class Embedding : public Layer<Embedding>, public Narrowable {
 public:
  using Options = EmbeddingOptions;
  /// Numbers begin as N(0, 1). Throws ValueError for sizes that are not positive or a padding
  /// outside [-1, count).
  explicit Embedding(const EmbeddingOptions& options);
  Embedding(Index count, Index width)
      : Embedding(EmbeddingOptions{.count = count, .width = width}) {}
  Embedding(Index count, Index width, Index padding)
      : Embedding(EmbeddingOptions{.count = count, .width = width, .padding = padding}) {}
  Embedding(Index count, Index width, const EmbeddingOptions& others)
      : Embedding(EmbeddingOptions{count, width, others.padding, others.sparse, others.dtype}) {}

  /// A layer that begins as a copy of `table` [count, width], f32 or f64; frozen, as PyTorch's,
  /// unless `freeze` is false. Throws ShapeError for another rank, DTypeError.
  static Embedding from_pretrained(const Tensor& table, bool freeze = true);
  template <std::same_as<std::nullptr_t> T>
  explicit Embedding(
      T, Say<"nn::Embedding& name = child<nn::Embedding>(\"name\", 1000, 64)"> = {}) = delete;

  Tensor& weight;  ///< [count, width]

  /// Throws IndexError for an id out of range, DTypeError unless ids are i64.
  Tensor operator()(const Tensor& ids) const;

  /// x [.., width] -> [.., count]: the product with each row, as an output layer's that is tied to
  /// the table. Throws ShapeError, DTypeError.
  Tensor scores(const Tensor& x) const;

  /// As Linear's.
  void to_int8();
  std::function<void()> prepare_int8();
  std::function<void()> prepare_bf16() override;

  Index padding() const { return padding_; }
  bool sparse() const { return sparse_; }

 private:
  friend class Sequential;
  Embedding(const EmbeddingOptions& options, Tensor begin);
  Embedding(Embedding&&) = default;
  Index padding_;
  bool sparse_;
  std::shared_ptr<const kernels::Int8Matrix> int8_;  // in the weight's stead
  Tensor bf16_;                                      // the same
};

}  // namespace heed::nn
