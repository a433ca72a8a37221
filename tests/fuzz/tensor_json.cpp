#include "../../pretrained/tensor_json.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void tensor_json(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  pretrained::TensorFile read;
  const bool accepted = accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 100},
                                [&] { read = pretrained::read_tensor_json(path); });
  if (!accepted) return;
  Index numbers = 0;
  for (const auto& [name, tensor] : read.tensors) numbers += tensor.numel();
  require(numbers <= static_cast<Index>(input.size() / 4), "numbers are in the file");
}

}  // namespace heed::fuzz
