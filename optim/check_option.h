// Checks of optimizers' options.
#pragma once

namespace heed::optim {

/// Throws ValueError in `op`'s name unless `value` is finite and not negative.
void check_not_negative(const char* op, const char* what, double value);

/// Throws ValueError in `op`'s name unless `value` is in [0, 1].
void check_share(const char* op, const char* what, double value);

}  // namespace heed::optim
