#include "lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

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

// Null where there is none.
nn::Module* module_at(nn::Module& model, const std::string& path) {
  if (path.empty()) return &model;
  nn::Module* out = &model;
  for (std::size_t begin = 0; out != nullptr && begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    nn::Module* next = nullptr;
    for (const auto& [name, child] : out->children()) {
      if (path.compare(begin, end - begin, name) == 0) next = child;
    }
    out = next;
    begin = end + 1;
  }
  return out;
}

// The matrix "in_proj_weight" beside which the adapter "in_proj_lora" stands; undefined for none.
Tensor matrix_beside(const nn::Module& layer, const std::string& adapter) {
  if (!adapter.ends_with("lora")) return {};
  const std::string wanted = adapter.substr(0, adapter.size() - 4) + "weight";
  for (const auto& [name, tensor] : layer.named_parameters()) {
    if (name == wanted && tensor.dim() == 2) return tensor;
  }
  return {};
}

// Throws ValueError for what nn::load_lora() would refuse after nn::add_lora(): adapters that are
// beside a layer stay there.
void check_fits(nn::Module& model, const Safetensors& file, const nn::LoraOptions& options) {
  const auto fail = [](const std::string& what) {
    throw ValueError("load_lora: the entries do not fit the model: " + what);
  };
  const std::vector<nn::Module*> layers = nn::lora_layers(model, options.at);
  std::unordered_set<const nn::Module*> named;
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    const auto& [name, array] = file.arrays[i];
    const std::string& at = options.at[i];
    nn::Module* const layer = module_at(model, at);
    if (std::find(layers.begin(), layers.end(), layer) == layers.end()) {
      fail(in_quotes(name) + " is beside no layer");
    }
    named.insert(layer);
    const std::size_t begin = at.empty() ? 0 : at.size() + 1;
    const Tensor matrix = matrix_beside(*layer, name.substr(begin, name.rfind('.') - begin));
    if (!matrix.defined()) fail(in_quotes(name) + " is beside no matrix");
    const bool first = name.ends_with("a");
    const Shape shape =
        first ? Shape{options.rank, matrix.size(1)} : Shape{matrix.size(0), options.rank};
    if (!(array.shape() == shape) || array.dtype() != matrix.dtype()) {
      fail(fmt::format("{} is {}, not {}{}", in_quotes(name), describe(array),
                       heed::name(matrix.dtype()), to_string(shape)));
    }
    const std::string other = name.substr(0, name.size() - 1) + (first ? "b" : "a");
    const auto same = [&](const auto& entry) { return entry.first == other; };
    if (std::none_of(file.arrays.begin(), file.arrays.end(), same)) {
      fail(in_quotes(other) + " is missing");
    }
  }
  for (const nn::Module* layer : layers) {
    if (!named.contains(layer)) fail("there is none for " + in_quotes(layer->path()));
  }
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
  blaming(path, [&] {
    const nn::LowRank* const there = first_adapter(model);
    if (there == nullptr) {
      if (options.at.empty()) throw ValueError("there are no adapters in it");
      check_fits(model, file, options);
      nn::add_lora(model, options);
    } else if (there->options().alpha != options.alpha) {
      throw ValueError(fmt::format("alpha {}, the model's adapters have {}", options.alpha,
                                   there->options().alpha));
    }
    nn::load_lora(model, nn::NamedTensors(file.arrays.begin(), file.arrays.end()));
  });
}

}  // namespace heed::io
