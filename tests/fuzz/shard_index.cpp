#include "../../io/sharded_safetensors.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void shard_index(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  std::map<std::string, std::string> index;
  if (!accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 100},
               [&] { index = io::read_shard_index(path); })) {
    return;
  }
  require(!index.empty(), "it names something");
  for (const auto& [tensor, name] : index) {
    require(!name.empty() && name.find('/') == std::string::npos && name != "..",
            "files are in its folder");
  }
}

}  // namespace heed::fuzz
