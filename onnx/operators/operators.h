// The operators of ONNX that a graph may have, made from their nodes: a family a file. Internal to
// onnx.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "../node_reader.h"

namespace heed::onnx {

using Maker = Operation (*)(NodeReader&);
using Makers = std::map<std::string_view, Maker>;

/// All that are known, of ONNX's own domain, by op_type.
const Makers& makers();

// The families.
void add_arithmetic(Makers& to);
void add_activations(Makers& to);
void add_comparisons(Makers& to);
void add_conversions(Makers& to);
void add_reductions(Makers& to);
void add_shapes(Makers& to);
void add_parts(Makers& to);
void add_sizes(Makers& to);
void add_places(Makers& to);
void add_products(Makers& to);
void add_convolutions(Makers& to);
void add_resize(Makers& to);
void add_pools(Makers& to);
void add_normalisers(Makers& to);
void add_recurrent(Makers& to);
void add_attention(Makers& to);
void add_losses(Makers& to);
void add_control(Makers& to);

/// Of the node that fuse_attention() makes.
Operation fused_attention(NodeReader& node);

/// Of one result.
template <class F>
Operation one(F function) {
  return [function](const std::vector<Tensor>& in, const Run& run) {
    return std::vector<Tensor>{function(in, run)};
  };
}
/// Of one input alone.
template <class F>
Operation of_one(F function) {
  return [function](const std::vector<Tensor>& in, const Run&) {
    return std::vector<Tensor>{function(in[0])};
  };
}

/// An input's integers, of rank 0 or 1. Throw DTypeError, ShapeError in the name of `what`.
std::vector<Index> integers_of(const Tensor& input, const char* what);
Index integer_of(const Tensor& input, const char* what);
/// An input, or one undefined.
inline const Tensor& input_or_none(const std::vector<Tensor>& in, std::size_t i) {
  static const Tensor none;
  return i < in.size() ? in[i] : none;
}

}  // namespace heed::onnx
