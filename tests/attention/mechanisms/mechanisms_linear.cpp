// Mechanisms in linear time behind the face.
#include "linear/makers.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;

Mechanism fast_weights(const std::string& name) {
  const std::shared_ptr<FastWeightsAttention> made =
      kLinear(name, {.width = kE, .heads = 3, .chunk = 2, .dtype = DType::f64});
  Mechanism out{.modules = {made}, .self = true, .projects = true};
  out.name = name == "performer_hyperbolic" ? "performer" : name;
  const bool features = out.name == "linear_attention" || out.name == "performer";
  const bool both_ways = features || name == "cos_former" || name == "attention_free";
  out.by_place = !features && name != "attention_free";
  out.sums_to_one = both_ways;
  out.signed_weights = out.causal_only = !both_ways;
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

}  // namespace

Registry<Mechanism> linear_mechanisms() {
  Registry<Mechanism> out({});
  for (const std::string& name : kLinear) {
    out.add({{name.c_str(), [name] { return fast_weights(name); }}});
  }
  return out;
}

}  // namespace heed::attention
