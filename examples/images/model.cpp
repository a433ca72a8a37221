#include "model.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "../../autograd/ops/conv/pool.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../io/saved_model.h"
#include "../../nn/activations.h"
#include "../../nn/pooling.h"
#include "../../nn/reshaping.h"

namespace images {
namespace {

constexpr Index kSmallest = 8, kLargest = 1024;  // sides of pictures

const ModelOptions& checked(const ModelOptions& o) {
  io::check_fields(o);
  if (o.height < kSmallest || o.width < kSmallest || o.height > kLargest || o.width > kLargest ||
      (o.channels != 1 && o.channels != 3)) {
    throw ValueError(fmt::format("pictures of {} x {} x {}: grey or colours, sides in [{}, {}]",
                                 o.channels, o.height, o.width, kSmallest, kLargest));
  }
  return o;
}

// The least that gives no more than 100 patches.
Index patch_for(const ModelOptions& o) {
  for (Index patch = 2; patch <= std::min(o.height, o.width); ++patch) {
    if (o.height % patch != 0 || o.width % patch != 0) continue;
    if (o.height / patch * (o.width / patch) <= 100) return patch;
  }
  throw ValueError(fmt::format("no patch divides pictures of {} x {}", o.height, o.width));
}

// Of Swin: what divides its patches, if anything does.
Index window_for(Index patches) {
  for (Index window = 8; window >= 4; --window) {
    if (patches % window == 0) return window;
  }
  return 7;
}

}  // namespace

Classifier::Classifier(const ModelOptions& o, std::vector<std::string> names)
    : options(checked(o)),
      classes(std::move(names)),
      dropout_(child<nn::Dropout>("dropout", o.dropout)) {
  using namespace attention;
  const auto count = static_cast<Index>(classes.size());
  if (o.kind == "vit") {
    VisionTransformerOptions vit{.height = o.height, .width = o.width, .channels = o.channels};
    vit.patch = patch_for(o);
    vit.classes = count;
    vit.layers = o.layers;
    vit.embedding = 2 * o.hidden;
    vit.heads = o.heads;
    vit.hidden = 4 * o.hidden;
    vit.dropout = o.dropout;
    vit_ = &child<VisionTransformer>("vit", vit);
    return;
  }
  if (o.kind == "swin") {
    SwinOptions swin{.channels = o.channels, .classes = count, .width = o.hidden};
    swin.patch = o.width > 32 ? 4 : 2;
    swin.depths = {2, o.layers};
    swin.heads = {o.heads, o.heads};
    swin.window = window_for(o.width / swin.patch);
    swin.dropout = o.dropout;
    swin_ = &child<Swin>("swin", swin);
    return;
  }
  if (o.kind == "transformer") {
    const auto halved = [](Index in, Index out) {
      return nn::Sequential(nn::MaxPool2d(2), nn::Conv2d(in, out, 5, 1, 2), nn::ReLU());
    };
    locate_ = &child<nn::Sequential>(
        "locate", halved(o.channels, o.hidden / 2), halved(o.hidden / 2, o.hidden / 2),
        nn::MaxPool2d(2), nn::Flatten(),
        nn::Linear(o.hidden / 2 * (o.height / 8) * (o.width / 8), 32), nn::ReLU());
    SpatialTransformerOptions window{.features = 32};
    window.height = std::min<Index>(o.height, 28);
    window.width = std::min<Index>(o.width, 28);
    transform_ = &child<SpatialTransformer>("transform", window);
  }
  Index in = o.channels;
  for (Index i = 0; i < 3; ++i) {
    const Index out = o.hidden << std::min<Index>(i, 1);
    const std::string at = std::to_string(i);
    stages_.push_back({child<nn::Conv2d>("conv" + at, in, out, 3, 1, 1),
                       child<nn::BatchNorm2d>("norm" + at, out),
                       o.kind == "se" ? &child<SqueezeExcitation>("se" + at, out, 8) : nullptr,
                       o.kind == "cbam" ? &child<CBAM>("cbam" + at, out, 8) : nullptr});
    in = out;
  }
  head_ = &child<nn::Linear>("head", in, count);
}

Tensor Classifier::convolved(Tensor x, Looked& out, bool maps) const {
  for (const Stage& stage : stages_) {
    x = relu(stage.norm(stage.conv(x)));
    if (stage.excite != nullptr) x = stage.excite->operator()(x).context;
    if (stage.gate != nullptr) {
      const attention::Attended gated = (*stage.gate)(x, maps);
      x = gated.context;
      out.gates = gated.weights;
    }
    if (&stage != &stages_.back()) x = max_pool2d(x, 2);
  }
  return x;
}

Looked Classifier::operator()(const Tensor& images, bool maps) const {
  const Scope scope(*this);
  Looked out;
  if (vit_ != nullptr) {
    const auto found = (*vit_)(images, {.need_weights = maps});
    out.logits = found.logits;
    out.attended = found.weights;
  } else if (swin_ != nullptr) {
    const auto found = (*swin_)(images);
    out.logits = found.logits;
    out.features = found.features;
    out.channels = 3;
  } else {
    Tensor x = images;
    if (transform_ != nullptr) {
      const auto looked = (*transform_)(images, (*locate_)(images));
      x = looked.output;
      out.theta = looked.theta;
    }
    out.features = convolved(x, out, maps);
    out.logits = (*head_)(dropout_(mean(out.features, {2, 3})));
  }
  return out;
}

io::DirectoryFiles files_of(const Classifier& classifier) {
  const ModelOptions& o = classifier.options;
  std::string names;
  for (const std::string& name : classifier.classes) names += name + "\n";
  return io::ModelFiles("images")
      .options(o)
      .set("channels", o.channels)
      .set("height", o.height)
      .set("width", o.width)
      .text("classes.txt", names)
      .weights(classifier);
}

std::unique_ptr<Classifier> load(const std::string& folder) {
  const io::ModelFolder saved(folder, "images");
  auto o = saved.options<ModelOptions>();
  o.channels = saved.config().get_int("channels", 1, 3);
  o.height = saved.config().get_int("height", kSmallest, kLargest);
  o.width = saved.config().get_int("width", kSmallest, kLargest);
  std::vector<std::string> classes;
  std::istringstream lines(saved.text("classes.txt"));
  for (std::string line; std::getline(lines, line);) classes.push_back(line);
  if (classes.size() < 2) throw FormatError(saved.path("classes.txt"), 0, "fewer than two classes");
  return saved.make<Classifier>(o, classes);
}

}  // namespace images
