// Classifiers of pictures that differ in their attention:
//
//   cnn          three convolutions, each with batch normalisation, halved; the mean of all places
//   se, cbam     the same, each convolution's channels, or channels and places, gated
//   transformer  a spatial transformer before the same, which says where and how to look
//   vit, swin    transformers of patches
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../attention/mechanisms/vision/cbam.h"
#include "../../attention/mechanisms/vision/spatial_transformer.h"
#include "../../attention/mechanisms/vision/squeeze_excitation.h"
#include "../../attention/mechanisms/vision/swin.h"
#include "../../attention/mechanisms/vision/vision_transformer.h"
#include "../../io/model_directory.h"
#include "../../nn/batch_norm.h"
#include "../../nn/sequential.h"
#include "corpus.h"

namespace images {

struct ModelOptions {
  std::string kind = "cnn";
  Index channels = 0, height = 0, width = 0;  ///< of the pictures
  Index hidden = 32;
  Index layers = 3;
  Index heads = 4;
  double dropout = 0;
  void fields(io::Fields& f) {
    f.choice("kind", kind, {"cnn", "se", "cbam", "vit", "swin", "transformer"},
             "what tells the pictures apart");
    f.size("hidden", hidden, 8, 1024, "channels of the first stage; of vit a quarter of a patch's");
    f.size("layers", layers, 1, 24, "of vit, and of swin's second stage");
    f.size("heads", heads, 1, 64, "of vit and swin");
    f.number("dropout", dropout, 0, 0.99, "probability");
  }
};

/// What it answers, and what maps are made of; undefined where a model has none.
struct Looked {
  Tensor logits;                 ///< [B, classes]
  Tensor features;               ///< before the mean over places, for Grad-CAM
  Index channels = 1;            ///< their axis
  Tensor gates;                  ///< [B, h, w] of places, cbam's last ones
  std::vector<Tensor> attended;  ///< [B, H, T, T] of each layer of vit
  Tensor theta;                  ///< [B, 2, 3]: where the spatial transformer looked
};

class Classifier : public nn::Module {
 public:
  /// Throws ValueError.
  Classifier(const ModelOptions& options, std::vector<std::string> classes);

  const ModelOptions options;
  const std::vector<std::string> classes;
  Looked operator()(const Tensor& images, bool maps = false) const;

 private:
  struct Stage {
    nn::Conv2d& conv;
    nn::BatchNorm2d& norm;
    attention::SqueezeExcitation* excite;
    attention::CBAM* gate;
  };
  Tensor convolved(Tensor x, Looked& out, bool maps) const;

  std::vector<Stage> stages_;
  nn::Linear* head_ = nullptr;
  nn::Dropout& dropout_;
  nn::Sequential* locate_ = nullptr;
  attention::SpatialTransformer* transform_ = nullptr;
  attention::VisionTransformer* vit_ = nullptr;
  attention::Swin* swin_ = nullptr;
};

io::DirectoryFiles files_of(const Classifier& classifier);
/// Throws IoError; FormatError for a damaged folder.
std::unique_ptr<Classifier> load(const std::string& folder);

}  // namespace images
