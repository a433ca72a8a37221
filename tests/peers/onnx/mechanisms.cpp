// Every row of the table of mechanisms (tests/attention/mechanisms), in f32. What looks along the
// queries step by step has as many of them as the example; batch and keys are of any number, but
// for those that look along the keys, one after the other.
#include "../../attention/mechanisms/mechanisms.h"

#include <set>

#include "../../../autograd/autograd.h"
#include "models.h"

namespace heed::onnx {
namespace {

bool walks_along_keys(const std::string& name) {
  static const std::set<std::string> all = {"attention_free_local",
                                            "attention_free_local_factorised",
                                            "delta_net",
                                            "dynamic_memory",
                                            "gated_delta_net",
                                            "gated_linear_attention",
                                            "graph_attention_edges",
                                            "graph_attention_v2_edges",
                                            "heads_with_bigbird",
                                            "linear_chain",
                                            "linformer",
                                            "lstmn",
                                            "lstmn_pair",
                                            "lstmn_span",
                                            "luna_causal",
                                            "memorizing",
                                            "nystromformer",
                                            "reformer",
                                            "retnet",
                                            "routing",
                                            "rwkv6",
                                            "sinkhorn_blocks",
                                            "sparse_chain",
                                            "state_space_duality",
                                            "transformer_xl",
                                            "tree_attention"};
  return all.contains(name);
}

Exported exported(const std::string& name) {
  attention::mechanism_dtype() = DType::f32;
  const auto made = std::make_shared<attention::Mechanism>(attention::mechanism(name));
  Exported out;
  for (const auto& part : made->modules) part->to(DType::f32);
  out.module = together(made->modules);
  if (!made->self && !made->pools) {
    out.inputs.push_back({"query", randn({2, 3, attention::kE}), {"batch"}});
  }
  out.inputs.push_back({"keys", randn({2, 5, attention::kE}), {"batch", "length"}});
  out.inputs.push_back(lengths_input(2, 5));
  if (walks_along_keys(name)) {
    for (Input& input : out.inputs) input.axes.resize(1);
  }
  out.options.largest = {{"length", 10}};  // the synthesizers' places
  out.forward = [made](const std::vector<Tensor>& x) {
    const std::size_t keys = x.size() - 2;
    const attention::Attended seen =
        made->call(keys > 0 ? x[0] : Tensor(), x[keys], to_lengths(x[keys + 1]), true);
    std::vector<Tensor> results = {seen.context};
    if (seen.weights.defined()) results.push_back(seen.weights);
    return results;
  };
  return out;
}

}  // namespace

std::vector<NamedModel> mechanisms() {
  std::vector<NamedModel> out;
  for (const std::string& name : attention::kMechanisms) {
    out.push_back({name, [name] { return exported(name); }});
  }
  return out;
}

}  // namespace heed::onnx
