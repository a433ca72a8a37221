#include <cstring>

#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "parity.h"

namespace heed::parity {
namespace {

torch::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::f32: return torch::kFloat32;
    case DType::f64: return torch::kFloat64;
    case DType::i64: return torch::kInt64;
    case DType::bf16: return torch::kBFloat16;
    case DType::boolean: break;
  }
  return torch::kBool;
}

DType dtype_of_torch(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat32: return DType::f32;
    case torch::kFloat64: return DType::f64;
    case torch::kInt64: return DType::i64;
    case torch::kBFloat16: return DType::bf16;
    default: break;
  }
  TORCH_CHECK(type == torch::kBool, "a dtype that heed lacks");
  return DType::boolean;
}

}  // namespace

torch::Tensor to_torch(const Tensor& tensor) {
  const Array dense = tensor.array().contiguous();
  const std::vector<std::int64_t> sizes(dense.shape().begin(), dense.shape().end());
  torch::Tensor out = torch::empty(sizes, scalar_type(dense.dtype()));
  std::memcpy(out.data_ptr(), dense.raw(),
              static_cast<std::size_t>(dense.numel()) * size_of(dense.dtype()));
  return out;
}

Tensor from_torch(const torch::Tensor& tensor) {
  const torch::Tensor dense = tensor.detach().contiguous();
  const std::vector<Index> sizes(dense.sizes().begin(), dense.sizes().end());
  Array out = Array::empty(Shape(sizes), dtype_of_torch(dense.scalar_type()));
  std::memcpy(out.mutable_raw(), dense.data_ptr(),
              static_cast<std::size_t>(out.numel()) * size_of(out.dtype()));
  return out;
}

Tensor ids(const std::vector<std::int64_t>& values, const Shape& shape) {
  return Array::from(values, shape);
}

torch::Tensor torch_ids(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape) {
  return torch::tensor(values, torch::kInt64).reshape(shape);
}

Tensor joined(const std::vector<Tensor>& results) {
  std::vector<Tensor> flat;
  for (const Tensor& x : results) flat.push_back(reshape(x, {-1}));
  return concat(flat);
}
torch::Tensor joined(const std::vector<torch::Tensor>& results) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& x : results) flat.push_back(x.reshape({-1}));
  return torch::cat(flat);
}

}  // namespace heed::parity
