#include "../../pretrained/family_config.h"

#include "../../core/error.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void family_config(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  // A value is a node of a map, with its whole name.
  accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 200}, [&] {
    const auto config = pretrained::FamilyConfig::read(path);
    config.text("model_type", "gpt2");
    config.flag("tie_word_embeddings", true);
    config.number("rope_scaling.factor", 1);
    require(config.size("hidden_size", 1) >= 1, "sizes are positive");
    require(!(config.has("head_dim") && config.is_null("head_dim")), "a null is not there");
  });
}

}  // namespace heed::fuzz
