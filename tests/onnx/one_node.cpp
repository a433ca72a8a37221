#include "one_node.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../../core/error.h"

namespace heed::onnx {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers as texts, so that none is rounded; so too what is not finite.
Json listed(const std::string& name, const Tensor& x) {
  Json data = Json::array();
  if (x.dtype() == DType::i64) {
    for (const std::int64_t each : x.to_vector<std::int64_t>())
      data.push_back(std::to_string(each));
  } else {
    for (const double each : x.array().to(DType::f64).to_vector<double>())
      std::isfinite(each) ? data.push_back(each)
                          : data.push_back(std::isnan(each) ? "NaN"
                                           : each > 0       ? "Infinity"
                                                            : "-Infinity");
  }
  return {{"name", name},
          {"type", heed::name(x.dtype())},
          {"shape", std::vector<Index>(x.shape().begin(), x.shape().end())},
          {"data", std::move(data)}};
}

Tensor narrow(const Tensor& x) {
  return x.defined() && x.dtype() == DType::f64 ? x.to(DType::f32) : x;
}

}  // namespace

void write_case(const std::string& name, const Model& model, const std::vector<Tensor>& inputs) {
  const char* const folder = std::getenv("HEED_ONNX_CASES");
  if (folder == nullptr) return;
  static int count = 0;
  GraphModule module(model);
  module.eval();
  const std::vector<Tensor> results = module.run(inputs);
  Model written = model;
  Json in = Json::array(), out = Json::array();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    in.push_back(listed(module.inputs()[i].name, inputs[i]));
  for (std::size_t i = 0; i < results.size(); ++i) {
    out.push_back(listed(module.outputs()[i].name, results[i]));
    written.graph.outputs[i].type = data_type_of(results[i].dtype());
    const Attribute* const to = written.graph.nodes[0].attribute("to");  // of a Cast
    if (to != nullptr)
      written.graph.outputs[i].type = static_cast<DataType>(std::get<std::int64_t>(to->value));
    if (written.graph.outputs[i].type == DataType::f16) return;  // which is f32 here
  }
  written.graph.name = "case";
  const std::string& op = written.graph.nodes[0].op_type;
  for (std::size_t i = 0; i < inputs.size(); ++i) {  // lengths, in 32 bits
    if ((op == "GRU" || op == "LSTM" || op == "RNN") && written.graph.inputs[i].name == "x4") {
      written.graph.inputs[i].type = DataType::i32;
      in[i]["type"] = "i32";
    }
  }
  const std::string stem =
      (std::filesystem::path(folder) / (name + "_" + std::to_string(count++))).string();
  write_model(stem + ".onnx", written);
  std::ofstream(stem + ".json") << Json{{"inputs", in}, {"outputs", out}};
}

std::vector<Tensor> OneNode::all(const std::vector<Tensor>& inputs) const {
  const std::string bytes = encode_model(one_node(op, inputs, attributes, opset, results));
  GraphModule module(decode_model(bytes, "f"), {}, "f");
  module.train(training);
  std::vector<Tensor> given, narrowed, left_out;
  for (const Tensor& each : inputs) {
    left_out.push_back(narrow(each));
    if (!each.defined()) continue;
    given.push_back(each);
    narrowed.push_back(narrow(each));
  }
  std::vector<Tensor> out = module.run(given);
  if (!training && !ours_alone)
    write_case(op, one_node(op, left_out, attributes, opset, results), narrowed);
  return out;
}

}  // namespace heed::onnx
