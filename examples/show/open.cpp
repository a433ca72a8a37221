#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/file.h"
#include "../../io/model_directory.h"
#include "demonstration.h"

namespace show {

std::unique_ptr<Demonstration> open(const std::string& folder) {
  const std::string path = folder + "/" + heed::io::kConfigFile;
  const auto config = heed::io::Config::parse(heed::io::read_file(path), path);
  const std::string& kind = config.get_string("model");
  if (kind == "hierarchical_attention") return classifier(folder);
  if (kind == "translation") return translator(folder);
  if (kind == "language_model") return language(folder);
  config.refuse("model",
                "is none that can be shown: hierarchical_attention, translation, language_model");
}

}  // namespace show
