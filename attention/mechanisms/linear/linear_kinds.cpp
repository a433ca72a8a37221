#include "linear_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../../../core/error.h"
#include "attention_free.h"
#include "cos_former.h"
#include "gated_delta_net.h"
#include "gated_linear_attention.h"
#include "linear_attention.h"
#include "luna_causal.h"
#include "performer.h"
#include "retnet.h"
#include "rwkv6.h"
#include "state_space_duality.h"

namespace heed::attention {
namespace {

using Made = std::shared_ptr<FastWeightsAttention>;

template <class T>
Made make(const LinearOptions& options, Index) {
  return std::make_shared<T>(options);
}

struct Kind {
  const char* name;
  Made (*make)(const LinearOptions& options, Index max_length);
};

constexpr Kind kKinds[] = {
    {"linear", make<LinearAttention>},
    {"performer", make<Performer>},
    {"cosformer",
     [](const LinearOptions& o, Index most) -> Made {
       return std::make_shared<CosFormer>(o, most);
     }},
    {"aft",
     [](const LinearOptions& o, Index) -> Made {
       return std::make_shared<AttentionFree>(o.width, o.chunk, o.dtype);
     }},
    {"luna",
     [](const LinearOptions& o, Index) -> Made { return std::make_shared<LunaCausal>(o, 16); }},
    {"retnet", make<RetNet>},
    {"gla", make<GatedLinearAttention>},
    {"ssd", make<StateSpaceDuality>},
    {"deltanet", make<DeltaNet>},
    {"gated-deltanet", make<GatedDeltaNet>},
    {"rwkv6", make<RWKV6>},
};

}  // namespace

const std::vector<std::string>& linear_kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Kind& kind : kKinds) out.emplace_back(kind.name);
    return out;
  }();
  return names;
}

bool is_linear_kind(const std::string& name) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& kind) { return name == kind.name; });
}

Made make_linear(const std::string& name, const LinearOptions& options, Index max_length) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind.make(options, max_length);
  }
  throw ValueError(
      fmt::format("linear: '{}' is none of {}", name, fmt::join(linear_kinds(), ", ")));
}

}  // namespace heed::attention
