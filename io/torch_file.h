// .pt and .pth, what torch.save() writes since PyTorch 1.6: a zip with a pickle and the storages of
// its tensors. Nothing of the pickle is run (pickle.h).
#pragma once

#include <map>
#include <string>
#include <variant>

#include "safetensors.h"

namespace heed::io {

/// What is in the file, by its place in dicts and lists: "weight" in a state dict, "model.weight"
/// and "epoch" in {"model": .., "epoch": 3}, "optimizer.param_groups.0.lr".
struct TorchFile {
  using Value = std::variant<bool, std::int64_t, double, std::string>;
  NamedArrays arrays;
  std::map<std::string, Value> values;

  /// The arrays whose names begin so, "model.", without that: what a module's load_state_dict()
  /// takes.
  NamedArrays under(const std::string& prefix) const;
};

/// f16 and bf16 become f32, integers of any width i64; tensors of one storage share its memory, and
/// get memory of their own where their axes are not in order. Strict: throws FormatError as
/// ZipReader and read_pickle() do, for tensors beyond their storage or larger than it, names that
/// are there twice, a file of big-endian numbers, or of an older PyTorch; IoError. Memory follows
/// the file's size.
TorchFile read_torch(const std::string& path);

}  // namespace heed::io
