// How a classifier learns, how often it is right, and the map of what it looked at.
#pragma once

#include <string>

#include "../../train/classified.h"
#include "../../train/fit_options.h"
#include "../../train/picture.h"
#include "../../train/training.h"
#include "model.h"

namespace images {

/// AdamW on the cross entropy; the best model on the validation pictures is kept. Throws what
/// train::Run throws.
train::Training train_classifier(Classifier& classifier, const Corpus& corpus,
                                 const train::FitOptions& options);

train::Classified evaluate(Classifier& classifier, const Pictures& pictures);

/// What it says of one picture [1, C, H, W], and the map that its kind of model makes:
///   cnn, se, swin   Grad-CAM of the class that it says
///   cbam            the gates of its last places
///   vit             attention rollout, from the class token
///   transformer     the corners of where it looked
struct Answered {
  std::string name;
  double probability = 0;
  Array map = {};     ///< f32 [h, w]; undefined of a transformer
  Tensor theta = {};  ///< [2, 3] of a transformer
};
Answered answer(Classifier& classifier, const Tensor& image);

/// The picture, scaled, under the map.
train::Picture drawn(const Tensor& image);
train::Picture drawn(const Tensor& image, const Answered& answered);

}  // namespace images
