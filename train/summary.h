// summary(): what a model makes of given inputs, module by module: class, shape of what it returns,
// parameters, floating-point operations, bytes of activations.
//
//   fmt::print("{}", train::summary(model, [&] { model(x); }).text());
//
//   module      class    output           parameters   MFLOP  activations
//   Net         Net      f32[32, 10]          50,890   3.267       94.7 kB
//   0           Linear   f32[32, 64]          50,240   3.213       8.19 kB
//
// FLOP are those of flops.h. Activations are the results of all operators, views aside: what a
// forward pass makes, at most what training keeps of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../nn/module.h"

namespace heed::train {

struct SummaryRow {
  std::string module;  ///< its path; of the root, its class
  std::string class_name;
  std::string output;  ///< "f32[32, 10]", of the last call; empty where nothing was seen
  Index calls = 0;
  Index parameters = 0;    ///< with all modules in it, each once
  double flops = 0;        ///< of the forward pass, with all modules in it
  double activations = 0;  ///< bytes, the same
};

struct Summary {
  /// The tree in order of registration, the root first.
  std::vector<SummaryRow> rows;
  Index parameters = 0, trained = 0;
  double parameter_bytes = 0;

  std::string text() const;
};

/// Runs `forward` once, in evaluation mode and without recording; modes are as before afterwards.
/// Throws ValueError without a function, or while a profiler is at work, GradError where it passed
/// a forward hook by (Module::register_forward_hook), and what it throws.
Summary summary(nn::Module& model, const std::function<void()>& forward);

}  // namespace heed::train
