// The curves of a training in its report: one chart for all figures that are losses, one for each
// other figure.
#pragma once

#include "report.h"
#include "training.h"

namespace heed::train {

/// `axis`: "epoch" or "step". Without rounds nothing is added.
void add_curves(Report& report, const Training& training, const std::string& axis = "epoch");

}  // namespace heed::train
