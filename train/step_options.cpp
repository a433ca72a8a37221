#include "step_options.h"

#include "fit_options.h"

namespace heed::train {

void StepOptions::fields(io::Fields& f, const std::string& examples) {
  f.size("steps", steps, 1, 1 << 24, "of the training");
  f.size("batch", batch, 1, 1 << 24, examples + " a step");
  f.number("lr", lr, 1e-12, 1e6, "the highest learning rate; a cosine takes it down");
  f.size("warm_up", warm_up, 0, 1 << 24, "steps in which the learning rate rises");
  f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
  f.size("interval", interval, 1, 1 << 24, "steps between two validations");
  detail::both_fields(f, ema, precision);
}

RunOptions StepOptions::run(const std::vector<Wanted>& keep, const std::string& data) const {
  const FitOptions fit{.out = out,
                       .batch = batch,
                       .clip = clip,
                       .ema = ema,
                       .precision = precision,
                       .seed = seed,
                       .stop_after = stop_after,
                       .resume = resume};
  RunOptions run = fit.run(keep, data);
  run.epochs = 0;
  run.steps = steps;
  run.every = interval;
  return run;
}

}  // namespace heed::train
