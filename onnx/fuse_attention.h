// Attention that a file has in parts, as one node: MatMul, perhaps a scale, perhaps a mask,
// Softmax, MatMul become dot_attention(), which makes no block of queries by keys. Internal to
// onnx.
#pragma once

#include <map>
#include <set>
#include <string>

#include "model.h"

namespace heed::onnx {

/// The domain of the node that comes out; no file may name it.
inline constexpr const char* kFusedDomain = "heed fused";

/// Looks for the parts, each of which must be used by the next alone, and puts the one node where
/// the last of them was. `use_counts`: how often a value is used, also in graphs of nodes and as a
/// result. The node's attributes say how the scale and the mask are applied; where they turn out
/// not to be what dot_attention() takes, it runs the parts.
void fuse_attention(Graph& graph, std::int64_t opset,
                    const std::map<std::string, std::size_t>& use_counts);

}  // namespace heed::onnx
