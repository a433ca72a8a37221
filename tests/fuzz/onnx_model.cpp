#include "../../onnx/read_model.h"
#include "../../onnx/write_model.h"
#include "checks.h"
#include "equal_arrays.h"
#include "targets.h"

namespace heed::fuzz {

void onnx_model(std::string_view input) {
  onnx::Model read;
  // A node of six bytes is a struct with five lists.
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = 200},
                                [&] { read = onnx::decode_model(input, "f"); });
  if (!accepted) return;
  const std::string written = onnx::encode_model(read);
  const onnx::Model again = onnx::decode_model(written, "f");
  require(onnx::encode_model(again) == written, "what is written reads back as it was");
  require(again.graph.nodes.size() == read.graph.nodes.size(), "as many nodes");
  require(again.graph.initializers.size() == read.graph.initializers.size(), "as many tensors");
  for (std::size_t i = 0; i < read.graph.initializers.size(); ++i) {
    const auto& was = read.graph.initializers[i];
    const auto& is = again.graph.initializers[i];
    // Halves that are not numbers may be others.
    require(was.type == onnx::DataType::f16 || was.type == onnx::DataType::bf16 ||
                equal({{was.name, was.array}}, {{is.name, is.array}}),
            "the same numbers");
  }
}

}  // namespace heed::fuzz
