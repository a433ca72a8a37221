#include "synthesizer_encoder.h"

#include <algorithm>
#include <cstring>

#include "../../autograd/ops/elementwise.h"
#include "../../core/error.h"

namespace language_model {
namespace {

using attention::SynthesizerKind;

constexpr const char* kPrefix = "synthesizer-";

std::string flag_of(SynthesizerKind kind) {
  std::string out = attention::name(kind);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

SynthesizerKind kind_of(const std::string& flag) {
  for (const auto kind : {SynthesizerKind::dense, SynthesizerKind::random,
                          SynthesizerKind::fixed_random, SynthesizerKind::factorised_dense,
                          SynthesizerKind::factorised_random, SynthesizerKind::dot_product}) {
    if (flag == flag_of(kind)) return kind;
  }
  throw ValueError("attention: '" + flag +
                   "' is none of dense, random, fixed-random, factorised-dense, "
                   "factorised-random, dot-product");
}

}  // namespace

SynthesizerKinds attention_of(const std::string& name) {
  if (name == "dot") return {};
  if (!name.starts_with(kPrefix)) {
    throw ValueError("attention: '" + name + "' is neither dot nor synthesizer-KIND[+KIND..]");
  }
  SynthesizerKinds out;
  for (std::size_t begin = std::strlen(kPrefix); begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    out.push_back(kind_of(name.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::string name(const SynthesizerKinds& kinds) {
  if (kinds.empty()) return "dot";
  std::string out;
  for (const SynthesizerKind kind : kinds) {
    out += out.empty() ? kPrefix : "+";
    out += flag_of(kind);
  }
  return out;
}

SynthesizerLayer::SynthesizerLayer(const attention::TransformerOptions& options,
                                   const SynthesizerKinds& kinds, Index max_length)
    : synthesizer(child<attention::Synthesizer>(
          "synthesizer", attention::SynthesizerOptions{.width = options.width,
                                                       .heads = options.heads,
                                                       .max_length = max_length,
                                                       .kinds = kinds,
                                                       .dropout = options.dropout,
                                                       .dtype = options.dtype})),
      linear1(child<nn::Linear>("linear1", options.width, options.hidden, true, options.dtype)),
      dropout(child<nn::Dropout>("dropout", options.dropout)),
      linear2(child<nn::Linear>("linear2", options.hidden, options.width, true, options.dtype)),
      norm1(child<nn::LayerNorm>("norm1", Shape{options.width}, options.eps, true, options.dtype)),
      norm2(child<nn::LayerNorm>("norm2", Shape{options.width}, options.eps, true, options.dtype)),
      dropout1(child<nn::Dropout>("dropout1", options.dropout)),
      dropout2(child<nn::Dropout>("dropout2", options.dropout)),
      activation_(options.activation) {}

Tensor SynthesizerLayer::operator()(const Tensor& x, const attention::Mask& mask) const {
  const Tensor h = x + dropout1(synthesizer(norm1(x), mask).context);
  const Tensor forward = attention::feed_forward(norm2(h), linear1, activation_, dropout, linear2);
  return forwarded(h + dropout2(forward));
}

SynthesizerEncoder::SynthesizerEncoder(Index count, const attention::TransformerOptions& options,
                                       const SynthesizerKinds& kinds, Index max_length)
    : layers(child<nn::ModuleList<SynthesizerLayer>>("layers")),
      norm(child<nn::LayerNorm>("norm", Shape{options.width}, options.eps, true, options.dtype)) {
  for (Index i = 0; i < count; ++i) layers.add(options, kinds, max_length);
}

Tensor SynthesizerEncoder::operator()(const Tensor& x, const attention::Mask& mask) const {
  Tensor h = x;
  for (const SynthesizerLayer& layer : layers) h = layer(h, mask);
  return forwarded(norm(h));
}

}  // namespace language_model
