#include "fit_options.h"

#include <fmt/format.h>

namespace heed::train {

void precision_field(io::Fields& f, Precision& precision) {
  f.choice("precision", precision, {{"f32", Precision::f32}, {"bf16", Precision::bf16}},
           "of large products while it learns");
}

void detail::both_fields(io::Fields& f, double& ema, Precision& precision) {
  f.number("ema", ema, 0, 0.999999,
           "decay of the average of the weights that is judged and kept; 0: none");
  precision_field(f, precision);
}

void FitOptions::fields(io::Fields& f) {
  f.size("epochs", epochs, 1, 1 << 24, "passes over what is learned from");
  f.size("batch", batch, 1, 1 << 16, "examples a step");
  f.number("lr", lr, 1e-12, 1e6, "learning rate");
  f.number("weight_decay", weight_decay, 0, 1e6, "of AdamW");
  f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
  f.size("patience", patience, 0, 1 << 24,
         "epochs that are no better than the best so far end it; 0: none do");
  detail::both_fields(f, ema, precision);
}

RunOptions FitOptions::run(const std::vector<Wanted>& keep, const std::string& data) const {
  RunOptions run;
  run.out = out;
  run.epochs = epochs;
  run.clip = clip;
  run.keep = keep;
  run.patience = patience;
  run.ema = ema;
  run.precision = precision;
  run.stop_after = stop_after;
  run.resume = resume;
  run.setting = fmt::format("{}, --batch {}, --seed {}", data, batch, seed);
  return run;
}

}  // namespace heed::train
