#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/model_directory.h"
#include "demonstration.h"

namespace show {

std::unique_ptr<Demonstration> open(const std::string& folder) {
  namespace io = heed::io;
  const auto config = io::Config::parse(io::read_from_directory(folder, io::kConfigFile),
                                        folder + "/" + io::kConfigFile);
  const std::string& kind = config.get_string("model");
  if (kind == "hierarchical_attention") return classifier(folder);
  if (kind == "translation") return translator(folder);
  if (kind == "language_model") return language(folder);
  config.refuse("model",
                "is none that can be shown: hierarchical_attention, translation, language_model");
}

}  // namespace show
