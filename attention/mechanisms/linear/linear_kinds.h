// The causal mechanisms in linear time by one name, as a command line or a configuration has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fast_weights_attention.h"

namespace heed::attention {

/// "linear", "performer", "cosformer", "aft", "luna", "retnet", "gla", "ssd", "deltanet",
/// "gated-deltanet", "rwkv6".
const std::vector<std::string>& linear_kinds();
bool is_linear_kind(const std::string& name);
/// One of these; `max_length` is cosFormer's. Throws ValueError for other names, and as the
/// mechanism.
std::shared_ptr<FastWeightsAttention> make_linear(const std::string& kind,
                                                  const LinearOptions& options, Index max_length);

}  // namespace heed::attention
