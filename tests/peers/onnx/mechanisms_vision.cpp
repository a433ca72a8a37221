// Every row of the table of mechanisms over maps (tests/attention/mechanisms), in f32. Maps are of
// any height and width but where the mechanism was made for one, or lays windows over them.
#include "../../attention/mechanisms/mechanisms_vision.h"

#include <map>

#include "../../../autograd/autograd.h"
#include "models.h"

namespace heed::onnx {
namespace {

using Axes = std::vector<std::string>;

// Of each input; the batch alone where a name is missing here.
std::vector<Axes> axes_of(const std::string& name) {
  const Axes batch = {"batch"}, map = {"batch", "", "height", "width"};
  static const std::map<std::string, std::vector<Axes>> all = {
      {"squeeze_excitation", {map}},
      {"efficient_channel", {map}},
      {"channel_gate", {map}},
      {"place_gate", {map}},
      {"cbam", {map}},
      {"coord_conv", {map}},
      {"coord_conv_radius", {map}},
      {"non_local", {map}},
      {"non_local_gaussian", {map}},
      {"non_local_dot", {map}},
      {"non_local_subsampled", {map}},
      {"augmented_convolution", {map}},
      {"augmented_convolution_without_places", {map}},
      {"deformable",
       {map,
        {"batch", "", "next_height", "next_width"},
        {"batch", "queries"},
        {"batch", "queries"}}},
      {"spatial_transformer", {map, batch}},
      {"spatial_transformer_attention", {map, batch}}};
  const auto found = all.find(name);
  return found == all.end() ? std::vector<Axes>() : found->second;
}

Exported exported(const std::string& name) {
  const attention::VisionMechanism made = attention::vision_mechanism(name);
  made.module->to(DType::f32);
  Exported out{.module = made.module, .forward = made.call};
  const std::vector<Axes> axes = axes_of(name);
  for (std::size_t i = 0; i < made.inputs.size(); ++i) {
    out.inputs.push_back({"input" + std::to_string(i), to(made.inputs[i], DType::f32),
                          i < axes.size() ? axes[i] : Axes{"batch"}});
  }
  return out;
}

}  // namespace

std::vector<NamedModel> vision_mechanisms() {
  std::vector<NamedModel> out;
  for (const std::string& name : attention::kVisionMechanisms) {
    out.push_back({name, [name] { return exported(name); }});
  }
  return out;
}

}  // namespace heed::onnx
