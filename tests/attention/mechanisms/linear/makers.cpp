#include "makers.h"

#include "../../../../attention/mechanisms/linear/attention_free.h"
#include "../../../../attention/mechanisms/linear/cos_former.h"
#include "../../../../attention/mechanisms/linear/gated_delta_net.h"
#include "../../../../attention/mechanisms/linear/gated_linear_attention.h"
#include "../../../../attention/mechanisms/linear/linear_attention.h"
#include "../../../../attention/mechanisms/linear/luna_causal.h"
#include "../../../../attention/mechanisms/linear/performer.h"
#include "../../../../attention/mechanisms/linear/retnet.h"
#include "../../../../attention/mechanisms/linear/rwkv6.h"
#include "../../../../attention/mechanisms/linear/state_space_duality.h"

namespace heed::attention {

using Made = std::shared_ptr<FastWeightsAttention>;
using O = LinearOptions;

const Registry<Made, O>& linear_makers() {
  static const Registry<Made, O> makers = {
      {"linear_attention", [](O o) -> Made { return std::make_shared<LinearAttention>(o); }},
      {"performer",
       [](O o) -> Made { return std::make_shared<Performer>(o, PerformerOptions{.features = 5}); }},
      {"performer_hyperbolic",
       [](O o) -> Made {
         return std::make_shared<Performer>(
             o, PerformerOptions{.features = 3, .kind = PerformerFeatures::hyperbolic});
       }},
      {"cos_former", [](O o) -> Made { return std::make_shared<CosFormer>(o, 32); }},
      {"attention_free",
       [](O o) -> Made { return std::make_shared<AttentionFree>(o.width, o.chunk, o.dtype); }},
      {"luna_causal", [](O o) -> Made { return std::make_shared<LunaCausal>(o, 3); }},
      {"retnet", [](O o) -> Made { return std::make_shared<RetNet>(o); }},
      {"gated_linear_attention",
       [](O o) -> Made { return std::make_shared<GatedLinearAttention>(o, 3); }},
      {"state_space_duality",
       [](O o) -> Made { return std::make_shared<StateSpaceDuality>(o, 3); }},
      {"delta_net", [](O o) -> Made { return std::make_shared<DeltaNet>(o, 3); }},
      {"gated_delta_net", [](O o) -> Made { return std::make_shared<GatedDeltaNet>(o, 3); }},
      {"rwkv6", [](O o) -> Made { return std::make_shared<RWKV6>(o, 2); }},
  };
  return makers;
}

}  // namespace heed::attention
