// Parameters under others' names: a table a family says what they are called here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../nn/module.h"

namespace heed::pretrained {

/// A name's beginning there and here; a star stands for the number of a layer, in both. What is
/// nothing here is left out.
struct Rename {
  std::string from, to;
  bool transposed = false;  ///< matrices are [in, out] there
  /// Of a tensor here that is several there: its place in their order, 0 .., along the first axis.
  int part = -1;
};

/// The entries by the names of here. Throws FormatError in `path`'s name for one that no rename
/// knows, for one that comes to a name that is taken, and for parts that are missing or do not fit.
nn::NamedTensors renamed(const nn::NamedTensors& entries, const std::vector<Rename>& renames,
                         const std::string& path);

/// Strict: throws FormatError in `path`'s name with everything that is missing, left over, or of
/// another shape.
void load_strictly(nn::Module& model, const nn::NamedTensors& state, const std::string& path);

template <class Model, class Options>
std::unique_ptr<Model> load_renamed(const Options& options, const nn::NamedTensors& entries,
                                    const std::string& path, const std::vector<Rename>& renames) {
  const nn::NamedTensors state = renamed(entries, renames, path);
  auto model = std::make_unique<Model>(options);
  load_strictly(*model, state, path);
  model->eval();
  return model;
}

}  // namespace heed::pretrained
