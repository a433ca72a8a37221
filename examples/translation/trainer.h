// Training: batches of about as many tokens each, the best model by validation BLEU kept on disk.
#pragma once

#include "../../optim/fall.h"
#include "../../train/fit_options.h"
#include "evaluation.h"

namespace translation {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() {
    batch = 800;
    lr = 2e-3;
    weight_decay = 0;
    clip = 1;
  }
  std::string optimizer = "adam";
  Index warm_up = 0;
  optim::Fall fall = optim::Fall::cosine;
  double label_smoothing = 0.1;
  /// Of the words before each, so many are the model's own at the end of the training, rising from
  /// none (scheduled sampling: Bengio et al. 2015; in two passes: Mihaylova & Martins 2019).
  double own_words = 0;
  Index average = 1, save_steps = 0;
  bool packed = false;

  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1 << 24, "through all pairs");
    f.size("batch", batch, 1, 1 << 24, "words of the targets a step, padding included");
    f.flag("packed", packed, "sentences one behind the other, without padding: of a transformer");
    f.choice("optimizer", optimizer, {"adam", "adadelta"}, "of the weights");
    f.number("lr", lr, 0, 100, "the highest learning rate");
    f.size("warm_up", warm_up, 0, 1 << 24, "steps in which it rises");
    f.choice("fall", fall,
             {{"none", optim::Fall::none},
              {"inverse-root", optim::Fall::inverse_root},
              {"cosine", optim::Fall::cosine}},
             "how it falls");
    f.number("label_smoothing", label_smoothing, 0, 1, "share of the target spread over all words");
    f.number("weight_decay", weight_decay, 0, 10, "of matrices");
    f.number("clip", clip, 1e-6, 1e6, "largest norm of a gradient");
    f.number("own_words", own_words, 0, 1,
             "scheduled sampling: the share of own words among those before, at the end");
    f.size("average", average, 1, 1 << 24, "epochs whose ends make the model");
    f.size("patience", patience, 0, 1 << 24,
           "epochs without a better BLEU before the end; 0: all epochs");
    f.size("save_steps", save_steps, 0, 1 << 24, "steps between two saved states; 0: an epoch");
    train::precision_field(f, precision);
  }
};

/// Afterwards model and folder hold the best weights. Throws IoError, FormatError, ValueError.
train::Training train_translator(Language& language, const Part& train, const Part& validation,
                                 const TrainerOptions& options);

}  // namespace translation
