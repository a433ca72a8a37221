// Words that users of PyTorch bring to optim/: names under which ours stand there, and optimizers
// that heed has not, which the compiler refuses in a line.
#pragma once

#include "../core/refused.h"
#include "plateau.h"

namespace heed::optim {

namespace lr_scheduler {
using optim::ReduceLROnPlateau;
}  // namespace lr_scheduler

using NAdam = Refused<"optim::Adam, optim::AdamW">;
using RAdam = Refused<"optim::AdamW and rate::noam(width, warm_up)">;
using Adamax = Refused<"optim::Adam, optim::AdamW">;
using SparseAdam = Refused<"optim::Adam: rows of an embedding are sparse of themselves">;
using ASGD = Refused<"optim::SGD and optim::EMA">;
using Rprop = Refused<"optim::RMSprop">;

}  // namespace heed::optim
