#include "run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/quoted.h"
#include "names.h"

namespace heed::train {
namespace {

void check(bool right, const std::string& what) {
  if (!right) throw ValueError("run: " + what);
}

}  // namespace

RunOptions checked(RunOptions options) {
  const auto not_negative = [](const char* name, auto value) {
    check(value >= 0, fmt::format("{} {} must not be negative", name, value));
  };
  not_negative("epochs", options.epochs);
  not_negative("steps", options.steps);
  not_negative("every", options.every);
  not_negative("clip", options.clip);
  not_negative("patience", options.patience);
  not_negative("save_every", options.save_every);
  not_negative("stop_after", options.stop_after);
  check((options.epochs > 0) != (options.steps > 0),
        fmt::format("epochs {} or steps {} must be positive, one of the two", options.epochs,
                    options.steps));
  check(options.accumulate > 0, fmt::format("accumulate {} must be positive", options.accumulate));
  check(options.average > 0, fmt::format("average {} must be positive", options.average));
  check(options.ema >= 0 && options.ema < 1, fmt::format("ema {} must be in [0, 1)", options.ema));
  check(options.average == 1 || options.ema == 0, "average and ema do not go together");
  check(!options.resume || !options.out.empty(), "resume needs the folder `out`");
  if (options.precision != Precision::f32) {
    options.setting +=
        fmt::format("{}{}", options.setting.empty() ? "" : ", ", name(options.precision));
  }
  // What resuming reads: training_state.h.
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  check(options.setting.size() <= 1000 &&
            std::none_of(options.setting.begin(), options.setting.end(), control),
        "setting must be one line of at most 1000 bytes");
  check(is_utf8(options.setting),
        fmt::format("setting {} must be UTF-8", in_quotes(options.setting)));
  if (options.steps > 0 && options.every == 0)
    options.every = std::max<Index>(options.steps / 10, 1);
  return options;
}

}  // namespace heed::train
