#include "load.h"

#include "../core/quoted.h"

namespace heed::pretrained {

std::unique_ptr<nn::Module> load(const std::string& folder) {
  FamilyFile file(folder);
  const std::string family = file.config.text("model_type", "");
  if (family == "gpt2") return load_gpt2(file);
  if (family == "llama" || family == "mistral" || family == "qwen2") return load_llama(file);
  if (family == "bert") return load_bert(file);
  if (family == "t5") return load_t5(file);
  if (family == "marian") return load_marian(file);
  file.config.refuse("model_type",
                     (family.empty() ? "is missing" : in_quotes(family) + " is not known"));
}

}  // namespace heed::pretrained
