#include "lora.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../core/quoted.h"
#include "saved_module.h"

namespace heed::io {
namespace {

constexpr const char *kAlpha = "alpha", *kDropout = "dropout";

const nn::LowRank* first_adapter(nn::Module& model) {
  for (nn::Module* module : model.modules()) {
    if (const auto* found = dynamic_cast<const nn::LowRank*>(module)) return found;
  }
  return nullptr;
}

double number(const std::string& path, const Safetensors& file, const char* key) {
  const auto found = file.metadata.find(key);
  if (found != file.metadata.end()) {
    if (const auto out = number_in<double>(found->second)) return *out;
  }
  throw FormatError(path, 0, fmt::format("no file of adapters: its {} is no number", key));
}

// "layers.0.linear1" of "layers.0.linear1.lora.lora_a"; "", which is all, of "lora.lora_a".
std::string layer_of(const std::string& path, const std::string& name) {
  const bool named = name.ends_with(".lora_a") || name.ends_with(".lora_b");
  const std::size_t last = name.rfind('.');
  if (!named || last == 0) throw FormatError(path, 0, "not an adapter's: " + in_quotes(name));
  const std::size_t end = name.rfind('.', last - 1);
  return name.substr(0, end == std::string::npos ? 0 : end);
}

// Throws FormatError unless all are matrices of one rank, which it returns.
Index rank_of(const std::string& path, const Safetensors& file) {
  Index rank = 0;
  for (const auto& [name, array] : file.arrays) {
    if (array.rank() != 2 || array.numel() == 0) {
      throw FormatError(
          path, 0, fmt::format("{} is {}, no adapter's matrix", in_quotes(name), describe(array)));
    }
    const Index own = array.size(name.ends_with(".lora_a") ? 0 : 1);
    if (rank != 0 && own != rank) {
      throw FormatError(path, 0,
                        fmt::format("{} has the rank {}, others {}", in_quotes(name), own, rank));
    }
    rank = own;
  }
  return rank;
}

}  // namespace

void save_lora(const std::string& path, nn::Module& model) {
  const nn::LowRank* const adapter = first_adapter(model);
  if (adapter == nullptr) throw ValueError("save_lora: the model has no adapters");
  write_safetensors(path, nn::lora_state(model),
                    {{kAlpha, fmt::format("{}", adapter->options().alpha)},
                     {kDropout, fmt::format("{}", adapter->options().dropout)}});
}

void load_lora(const std::string& path, nn::Module& model) {
  const Safetensors file = read_safetensors(path);
  nn::LoraOptions options{.alpha = number(path, file, kAlpha),
                          .dropout = number(path, file, kDropout)};
  for (const auto& [name, array] : file.arrays) {
    options.at.push_back(layer_of(path, name));
  }
  options.rank = rank_of(path, file);
  const nn::NamedTensors entries(file.arrays.begin(), file.arrays.end());
  blaming(path, [&] {
    const nn::LowRank* const there = first_adapter(model);
    if (there == nullptr) {
      if (options.at.empty()) throw ValueError("there are no adapters in it");
      nn::check_lora(model, options, entries);  // or what was added would stay
      nn::add_lora(model, options);
    } else if (there->options().alpha != options.alpha) {
      throw ValueError(fmt::format("alpha {}, the model's adapters have {}", options.alpha,
                                   there->options().alpha));
    }
    nn::load_lora(model, entries);
  });
}

}  // namespace heed::io
