#include "embedding.h"

#include <fmt/format.h>

#include <utility>

#include "../autograd/ops/index/index.h"
#include "../autograd/ops/linalg/int8.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

Tensor begin(const EmbeddingOptions& options) {
  if (options.count <= 0 || options.width <= 0) {
    throw ValueError(fmt::format("Embedding: sizes must be positive: count {}, width {}",
                                 options.count, options.width));
  }
  if (options.padding < -1 || options.padding >= options.count) {
    throw ValueError(
        fmt::format("Embedding: padding {} is not in [-1, {})", options.padding, options.count));
  }
  Tensor weight = randn({options.count, options.width}, options.dtype);
  if (options.padding >= 0) {
    select(weight, 0, options.padding).copy_from(zeros({options.width}, options.dtype));
  }
  return weight;
}

}  // namespace

Embedding::Embedding(const EmbeddingOptions& options) : Embedding(options, begin(options)) {}

Embedding::Embedding(const EmbeddingOptions& options, Tensor begin)
    : weight(parameter("weight", std::move(begin))),
      padding_(options.padding),
      sparse_(options.sparse) {}

Embedding Embedding::from_pretrained(const Tensor& table, bool freeze) {
  if (table.rank() != 2) {
    throw ShapeError("Embedding::from_pretrained: no matrix: " + describe(table));
  }
  Embedding out({.count = table.size(0), .width = table.size(1)}, clone(table.detach()));
  if (freeze) out.requires_grad(false);
  return out;
}

Tensor Embedding::operator()(const Tensor& ids) const {
  const Scope scope(*this);
  if (int8_) return forwarded(embedding_int8(*int8_, ids));
  return forwarded(embedding(bf16_.defined() ? bf16_ : weight, ids, sparse_, padding_));
}

Tensor Embedding::scores(const Tensor& x) const {
  const Scope scope(*this);
  return int8_ ? linear_int8(x, *int8_) : linear(x, bf16_.defined() ? bf16_ : weight);
}

std::function<void()> Embedding::prepare_int8() {
  if (int8_) return [] {};
  if (bf16_.defined()) return {};
  auto matrix = std::make_shared<const kernels::Int8Matrix>(weight.array());
  return [this, matrix = std::move(matrix), nothing = nothing_like(weight)] {
    int8_ = matrix;
    give_up(weight, nothing, "8 bits");
  };
}

void Embedding::to_int8() {
  if (const auto change = prepare_int8()) change();
}

std::function<void()> Embedding::prepare_bf16() {
  if (bf16_.defined()) return [] {};
  if (int8_) return {};
  return [this, narrow = detail::in_bf16("Embedding", weight), nothing = nothing_like(weight)] {
    bf16_ = narrow;
    give_up(weight, nothing, "bf16");
  };
}

}  // namespace heed::nn
