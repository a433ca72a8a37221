// What scripts/peers asks of exported models:
//
//   heed_peer_onnx FOLDER [NAME..]  writes FOLDER/NAME.onnx of each model, and FOLDER/NAME.json: inputs of two batch
//                                   sizes and lengths, with what the model gives for them. One line a model on stdout:
//                                   its name, and why where it is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../autograd/autograd.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../io/file.h"
#include "models.h"

namespace {

using namespace heed;
using nlohmann::json;

json as_json(const std::string& name, const Tensor& x) {
  json out = {{"name", name}, {"type", heed::name(x.dtype())}};
  out["shape"] = std::vector<Index>(x.shape().begin(), x.shape().end());
  out["data"] = x.array().to(DType::f64).to_vector<double>();
  for (json& number : out["data"]) {  // JSON has no infinities
    if (!std::isfinite(number.get<double>())) number = fmt::format("{}", number.get<double>());
  }
  return out;
}

using Sizes = std::map<std::string, Index>;

// Numbers as the examples have them; lengths from 1 to what they count.
Tensor drawn(const onnx::Input& input, const Sizes& sizes, Generator& generator) {
  Shape shape = input.example.shape();
  for (std::size_t axis = 0; axis < input.axes.size(); ++axis) {
    if (!input.axes[axis].empty()) shape[static_cast<Index>(axis)] = sizes.at(input.axes[axis]);
  }
  static const std::map<std::string, std::string> counted = {
      {"lengths", "length"}, {"word_counts", "length"}, {"sentence_counts", "sentences"}};
  const auto of = counted.find(input.name);
  const auto numbers = input.example.array().to(DType::f64).to_vector<double>();
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (double& value : values) {
    value = of != counted.end() ? static_cast<double>(1 + generator.below(sizes.at(of->second)))
                                : numbers[static_cast<std::size_t>(
                                      generator.below(static_cast<Index>(numbers.size())))];
  }
  return Tensor(Array::from(values, shape).to(input.example.dtype()));
}

bool has_axis(const onnx::Exported& model, const std::string& name) {
  return std::any_of(model.inputs.begin(), model.inputs.end(), [&](const onnx::Input& input) {
    return std::find(input.axes.begin(), input.axes.end(), name) != input.axes.end();
  });
}

// The length, or the examples' where it has no name.
Index fixed_length(const onnx::Exported& model, Index length) {
  if (has_axis(model, "length")) return length;
  for (const onnx::Input& input : model.inputs) {
    if (input.name == "keys") return input.example.size(1);
  }
  return length;
}

void write(const onnx::NamedModel& named, const std::string& folder) {
  manual_seed(41);
  const onnx::Exported model = named.make();
  onnx::ExportOptions options = model.options;  // bounds of axes that have a name here
  std::erase_if(options.largest, [&](const auto& most) { return !has_axis(model, most.first); });
  onnx::write(folder + "/" + named.name + ".onnx", *model.module, model.inputs, model.forward,
              options);
  model.module->eval();
  Generator generator(5);
  json runs = json::array();
  const NoGrad scope;
  const std::vector<Sizes> all = {{{"batch", 2},
                                   {"length", fixed_length(model, 6)},
                                   {"sentences", 3},
                                   {"target_length", 4},
                                   {"nodes", 6},
                                   {"edges", 11},
                                   {"height", 4},
                                   {"width", 9},
                                   {"next_height", 3},
                                   {"next_width", 6},
                                   {"queries", 4}},
                                  {{"batch", 5},
                                   {"length", fixed_length(model, 9)},
                                   {"sentences", 4},
                                   {"target_length", 7},
                                   {"nodes", 9},
                                   {"edges", 14},
                                   {"height", 7},
                                   {"width", 8},
                                   {"next_height", 2},
                                   {"next_width", 5},
                                   {"queries", 9}}};
  for (const Sizes& sizes : all) {
    std::vector<Tensor> inputs;
    json run = {{"inputs", json::array()}, {"outputs", json::array()}};
    for (const onnx::Input& input : model.inputs) {
      inputs.push_back(drawn(input, sizes, generator));
      run["inputs"].push_back(as_json(input.name, inputs.back()));
    }
    for (const Tensor& result : model.forward(inputs)) {
      run["outputs"].push_back(as_json("", result));
    }
    runs.push_back(std::move(run));
  }
  io::write_file_atomically(folder + "/" + named.name + ".json",
                            json{{"tolerance", model.tolerance}, {"runs", runs}}.dump());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: heed_peer_onnx FOLDER [NAME..]\n");
    return 2;
  }
  const std::vector<std::string> wanted(argv + 2, argv + argc);
  std::vector<std::vector<onnx::NamedModel>> parts = {onnx::layers(), onnx::mechanisms(),
                                                      onnx::vision_mechanisms()};
#ifdef HEED_WITH_EXAMPLES
  parts.push_back(onnx::examples());
#endif
  for (const auto& part : parts) {
    for (const onnx::NamedModel& named : part) {
      const bool asked =
          wanted.empty() || std::find(wanted.begin(), wanted.end(), named.name) != wanted.end();
      if (!asked) continue;
      try {
        write(named, argv[1]);
        fmt::print("{}\n", named.name);
      } catch (const Error& error) {
        fmt::print("{}\trefused: {}\n", named.name, error.what());
      }
      std::fflush(stdout);
    }
  }
}
