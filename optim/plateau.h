// ReduceLROnPlateau: lowers the learning rates when a number stops to improve. As PyTorch's.
#pragma once

#include <concepts>
#include <string_view>

#include "optimizer.h"

namespace heed::optim {

struct PlateauOptions {
  bool maximize = false;  ///< larger is better (PyTorch's mode "max")
  double factor = 0.1;    ///< lr = lr factor
  Index patience = 10;    ///< this many steps without improvement are borne
  double threshold = 1e-4;
  bool absolute = false;  ///< improve by threshold itself, not by that part of the best
  Index cooldown = 0;     ///< after lowering, this many steps count for nothing
  double min_lr = 0;
  double eps = 1e-8;  ///< smaller changes of the rate are not made
};

class ReduceLROnPlateau {
 public:
  /// `optimizer` must outlive this. Throws ValueError unless 0 <= factor < 1, and for negative or
  /// infinite numbers among the others.
  explicit ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options = {});

  /// The options one by one, in PyTorch's order; mode is "min" or "max". Throws ValueError for
  /// another.
  template <std::convertible_to<std::string_view> Mode>
  ReduceLROnPlateau(Optimizer& optimizer, const Mode& mode, double factor = 0.1,
                    Index patience = 10, double threshold = 1e-4)
      : ReduceLROnPlateau(optimizer, {.maximize = is_max(mode),
                                      .factor = factor,
                                      .patience = patience,
                                      .threshold = threshold}) {}

  /// Once an epoch, with what is watched. NaN is no improvement.
  void step(double value);

  /// The best value so far: infinite before the first.
  double best() const { return best_; }

  /// "best", "num_bad_epochs", "cooldown_counter", "last_epoch"; the rates are in the optimizer's
  /// state. Loading throws ValueError when they do not fit, and then has changed nothing.
  NamedArrays state_dict() const;
  void load_state_dict(const NamedArrays& entries);

 private:
  static bool is_max(std::string_view mode);
  bool improves(double value) const;

  Optimizer& optimizer_;
  PlateauOptions options_;
  double best_;
  Index bad_ = 0, cooldown_ = 0, steps_ = 0;
};

}  // namespace heed::optim
