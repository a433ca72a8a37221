// Every row of the table of mechanisms (tests/attention/mechanisms) and a neural GPU, in f32. What
// looks along the queries step by step has as many of them as the example; batch and keys are of
// any number, but for those that look along the keys, one after the other.
#include "../../attention/mechanisms/mechanisms.h"

#include <map>
#include <set>

#include "../../../attention/mechanisms/graph/graph_attention.h"
#include "../../../attention/mechanisms/graph/graph_transformer.h"
#include "../../../attention/mechanisms/memory/neural_gpu.h"
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
                                            "heads_with_bigbird",
                                            "linear_chain",
                                            "linformer",
                                            "lstmn",
                                            "lstmn_pair",
                                            "lstmn_span",
                                            "luna_causal",
                                            "memorizing",
                                            "nystromformer",
                                            "retnet",
                                            "rwkv6",
                                            "sinkhorn_blocks",
                                            "sparse_chain",
                                            "state_space_duality",
                                            "transformer_xl"};
  return all.contains(name);
}

// A graph is an input: its edges, of any number.
void add_edges(Exported& out, const attention::Mechanism& made) {
  const auto layer = std::dynamic_pointer_cast<attention::GraphAttention>(made.modules.front());
  out.inputs = {{"nodes", randn({5, attention::kE}), {"nodes"}},
                {"sources", ids({7}, 5), {"edges"}},
                {"targets", ids({7}, 5), {"edges"}}};
  out.forward = [layer](const std::vector<Tensor>& x) {
    const attention::Edges edges(to_lengths(x[1]), to_lengths(x[2]), x[0].size(0));
    const attention::Attended seen = (*layer)(x[0], edges, true);
    return std::vector<Tensor>{seen.context, seen.weights};
  };
}

// What the structure of the graphs says of their nodes comes in.
void add_structure(Exported& out, const attention::Mechanism& made) {
  const auto model = std::dynamic_pointer_cast<attention::GraphTransformer>(made.modules.front());
  out.inputs = {{"nodes", randn({2, 5, attention::kE}), {"batch", "length"}},
                {"positions", randn({2, 5, 2}), {"batch", "length"}},
                {"distances", ids({2, 5, 5}, 4), {"batch", "length", "length"}},
                {"degrees", ids({2, 5}, 3), {"batch", "length"}},
                lengths_input(2, 5)};
  out.forward = [model](const std::vector<Tensor>& x) {
    const attention::GraphStructure graphs{
        .positions = x[1], .distances = x[2], .degrees = x[3], .lengths = to_lengths(x[4])};
    const attention::StackOutput seen = (*model)(x[0], graphs, {.need_weights = true});
    return std::vector<Tensor>{seen.output, seen.weights.back()};
  };
}

Exported exported(const std::string& name) {
  attention::mechanism_dtype() = DType::f32;
  const auto made = std::make_shared<attention::Mechanism>(attention::mechanism(name));
  Exported out;
  for (const auto& part : made->modules) part->to(DType::f32);
  out.module = together(made->modules);
  using Add = void (*)(Exported&, const attention::Mechanism&);
  static const std::map<std::string, Add> with_graphs = {{"graph_attention_edges", add_edges},
                                                         {"graph_attention_v2_edges", add_edges},
                                                         {"graph_transformer", add_structure}};
  if (const auto with = with_graphs.find(name); with != with_graphs.end()) {
    with->second(out, *made);
    return out;
  }
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

// As many steps as the example is long.
Exported neural_gpu() {
  const auto made =
      std::make_shared<attention::NeuralGPU>(attention::NeuralGPUOptions{.width = 3, .columns = 2});
  Exported out;
  out.module = made;
  out.inputs = {{"keys", randn({2, 5, 3}), {"batch"}}, lengths_input(2, 5)};
  out.forward = [made](const std::vector<Tensor>& x) {
    const attention::NeuralGPUOutput seen = (*made)(x[0], to_lengths(x[1]));
    return std::vector<Tensor>{seen.output, seen.image};
  };
  return out;
}

}  // namespace

std::vector<NamedModel> mechanisms() {
  std::vector<NamedModel> out;
  for (const std::string& name : attention::kMechanisms) {
    out.push_back({name, [name] { return exported(name); }});
  }
  out.push_back({"neural_gpu", neural_gpu});
  return out;
}

}  // namespace heed::onnx
