#include "plateau.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../core/error.h"
#include "../core/quoted.h"
#include "check_option.h"

namespace heed::optim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options)
    : optimizer_(optimizer), options_(options), best_(options.maximize ? -kInfinity : kInfinity) {
  constexpr const char* kOp = "ReduceLROnPlateau";
  if (!(options.factor >= 0 && options.factor < 1)) {
    throw ValueError(fmt::format("{}: factor {} is not in [0, 1)", kOp, options.factor));
  }
  check_not_negative(kOp, "patience", static_cast<double>(options.patience));
  check_not_negative(kOp, "threshold", options.threshold);
  check_not_negative(kOp, "cooldown", static_cast<double>(options.cooldown));
  check_not_negative(kOp, "min_lr", options.min_lr);
  check_not_negative(kOp, "eps", options.eps);
}

bool ReduceLROnPlateau::is_max(std::string_view mode) {
  if (mode != "min" && mode != "max") {
    throw ValueError(
        fmt::format("ReduceLROnPlateau: mode is \"min\" or \"max\", not {}", in_quotes(mode)));
  }
  return mode == "max";
}

bool ReduceLROnPlateau::improves(double value) const {
  const double threshold = options_.threshold;
  if (options_.maximize) {
    return value > (options_.absolute ? best_ + threshold : best_ * (1 + threshold));
  }
  return value < (options_.absolute ? best_ - threshold : best_ * (1 - threshold));
}

void ReduceLROnPlateau::step(double value) {
  ++steps_;
  if (improves(value)) {
    best_ = value;
    bad_ = 0;
  } else {
    ++bad_;
  }
  if (cooldown_ > 0) {
    --cooldown_;
    bad_ = 0;
  }
  if (bad_ <= options_.patience) return;
  for (std::size_t group = 0; group < optimizer_.group_count(); ++group) {
    const double before = optimizer_.lr(group);
    const double lr = std::max(before * options_.factor, options_.min_lr);
    if (before - lr > options_.eps) optimizer_.set_lr(group, lr);
  }
  cooldown_ = options_.cooldown;
  bad_ = 0;
}

NamedArrays ReduceLROnPlateau::state_dict() const {
  const auto count = [](Index value) { return Array::from(std::vector<std::int64_t>{value}, {}); };
  return {{"best", Array::full({}, best_, DType::f64)},
          {"num_bad_epochs", count(bad_)},
          {"cooldown_counter", count(cooldown_)},
          {"last_epoch", count(steps_)}};
}

void ReduceLROnPlateau::load_state_dict(const NamedArrays& entries) {
  const NamedArrays ours = state_dict();
  std::vector<Array> found;
  for (const auto& [name, array] : ours) {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&, &key = name](const auto& e) { return e.first == key; });
    const Array given = entry == entries.end() ? Array() : entry->second;
    if (entries.size() != ours.size() || !given.defined() || given.rank() != 0 ||
        given.dtype() != array.dtype() || (given.dtype() == DType::i64 && given.item() < 0)) {
      throw ValueError(fmt::format("ReduceLROnPlateau: the entries do not fit: \"{}\" is {}", name,
                                   describe(given)));
    }
    found.push_back(given);
  }
  best_ = found[0].item();
  bad_ = *found[1].data<std::int64_t>();
  cooldown_ = *found[2].data<std::int64_t>();
  steps_ = *found[3].data<std::int64_t>();
}

}  // namespace heed::optim
