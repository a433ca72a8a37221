#include "tiled.h"

namespace heed::attention {

AttentionOptions tiled_options(const char* op, const Shape& scores, const Mask& mask,
                               const Added& added, double scale) {
  AttentionOptions options{.scale = scale, .bias = added.bias};
  options.diagonals = added.diagonals;
  if (mask.has_lengths() && scores.rank() < 3) {  // lengths of single queries
    options.allowed = mask.tensor(scores, op);
    return options;
  }
  options.left = mask.left();
  options.right = mask.right();
  options.blocks = mask.blocks();
  options.allowed = mask.rest(scores, op);
  if (!mask.has_lengths()) return options;
  std::vector<Index> lengths = mask.key_lengths();
  if (lengths.size() == 1) lengths.assign(static_cast<std::size_t>(scores[0]), lengths[0]);
  options.lengths = Array::from<std::int64_t>(lengths);
  return options;
}

Tensor tiled_dot(const Tensor& query, const Tensor& keys, const Tensor& values,
                 const AttentionOptions& options, AttentionCall* call) {
  if (call == nullptr) return dot_attention(query, keys, values, options);
  *call = {query, keys, Tensor(), options, Tensor()};
  return dot_attention(query, keys, values, options, &call->log_sums);
}

}  // namespace heed::attention
