#include "model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../nn/init.h"
#include "../../nn/positional_encoding.h"

namespace language_model {
namespace {

attention::TransformerOptions layer_options(const ModelOptions& options) {
  attention::TransformerOptions out{.width = options.width,
                                    .heads = options.heads,
                                    .hidden = 4 * options.width,
                                    .dropout = options.dropout,
                                    .pre_norm = true,
                                    .activation = attention::Activation::gelu,
                                    .rotary = options.positions == Positions::rotary,
                                    .dtype = options.dtype};
  out.self_attention =
      attention::self_attention_maker(options.attention, {.width = options.width,
                                                          .heads = options.heads,
                                                          .max_length = options.context,
                                                          .dropout = options.dropout,
                                                          .dtype = options.dtype,
                                                          .rotary = out.rotary});
  return out;
}

bool reads(const ModelOptions& o) {
  return o.attention == "lstm" || o.attention == "lstmn" || o.attention == "memory";
}

const ModelOptions& checked(const ModelOptions& options) {
  if (options.context > 0) return options;
  throw ValueError(fmt::format("language_model: context {} must be positive", options.context));
}

}  // namespace

// The table's gradient is dense: as the output layer it gets one in every row.
LanguageModel::LanguageModel(const ModelOptions& model)
    : options(checked(model)),
      kind(reads(model) ? attention::SelfAttentionKind{model.attention}
                        : attention::self_attention_kind(model.attention)),
      tokens(child<nn::Embedding>("tokens", nn::EmbeddingOptions{.count = model.vocabulary,
                                                                 .width = model.width,
                                                                 .sparse = false,
                                                                 .dtype = model.dtype})),
      places(parameter("places", model.positions == Positions::learned && !reads(model)
                                     ? zeros(Shape{model.context, model.width}, model.dtype)
                                     : Tensor())),
      dropout(child<nn::Dropout>("dropout", model.dropout)),
      reader(make_reader(model)) {
  if (reader) {
    shared_child("reader", reader);
    nn::normal_(tokens.weight, 0, 0.05);
    return;
  }
  layers =
      &child<attention::TransformerEncoder>("layers", model.layers, layer_options(model), true);
  // As GPT-2: small numbers, smaller still where a layer adds to the stream, so that its variance
  // does not grow with the depth.
  const double small = 0.02 / std::sqrt(2.0 * static_cast<double>(model.layers));
  for (const auto& [key, weight] : named_parameters()) {
    // What else mechanisms in linear time have begins as their papers say.
    if (kind.sums_up && key.find("self_attn.") != key.npos && !key.ends_with("_proj.weight"))
      continue;
    const bool adds = key.ends_with("out_proj.weight") || key.ends_with("linear2.weight") ||
                      key.ends_with("out_projection.weight");
    if (weight.rank() == 2) nn::normal_(weight, 0, adds ? small : 0.02);
    if (key.ends_with("bias")) nn::zeros_(weight);
  }
}

Tensor LanguageModel::positions(Index first, Index count) const {
  switch (options.positions) {
    case Positions::learned: return narrow(places, 0, first, count);
    case Positions::sinusoidal:
      return nn::sinusoidal_positions(count, options.width, first, options.dtype);
    case Positions::rotary: break;
  }
  return Tensor();
}

Tensor LanguageModel::embed(const Tensor& ids, const Tensor& rows) const {
  Tensor x = tokens(ids);
  // The table begins small; as in the paper it is scaled to stand beside the positions.
  if (options.positions == Positions::sinusoidal) {
    x = x * std::sqrt(static_cast<double>(options.width));
  }
  return dropout(rows.defined() ? x + rows : x);
}

Tensor LanguageModel::embed(const Tensor& ids, Index first) const {
  if (ids.rank() != 2 || first + ids.size(1) > options.context) {
    throw ShapeError(
        fmt::format("language_model: ids {} after {} others are not [B, T] within a "
                    "context of {}",
                    describe(ids.array()), first, options.context));
  }
  return embed(ids, positions(first, ids.size(1)));
}

Tensor LanguageModel::operator()(const Tensor& ids) const {
  if (reader) return forwarded(tokens.scores(read(ids, nullptr)));
  const Tensor x = embed(ids, Index{0});
  return forwarded(tokens.scores((*layers)(x, {.mask = attention::Mask::causal()}).output));
}

Tensor LanguageModel::read(const Tensor& ids, Reader::Past* past,
                           std::vector<Tensor>* looks) const {
  if (ids.rank() != 2) {
    throw ShapeError(fmt::format("language_model: ids {} are not [B, T]", describe(ids.array())));
  }
  return dropout((*reader)(embed(ids, Tensor()), ids, past, looks));
}

Tensor LanguageModel::go_on(const Tensor& ids, Past& past) const {
  past.length += ids.size(-1);
  return tokens.scores(read(ids, &past.reader));
}

std::vector<Array> LanguageModel::looks(const Tensor& ids) const {
  std::vector<Tensor> seen;
  if (reader) {
    read(unsqueeze(ids, 0), nullptr, &seen);
    if (seen.empty()) throw ValueError("language_model: an LSTM looks at nothing");
  } else {
    seen = (*layers)(embed(unsqueeze(ids, 0), Index{0}),
                     {.mask = attention::Mask::causal(), .need_weights = true})
               .weights;
  }
  std::vector<Array> out;
  for (const Tensor& weights : seen) {  // [1, heads, T, T]; of a reader [1, T, T], as of one head
    out.push_back(reader ? weights.array() : squeeze(weights, 0).array());
  }
  return out;
}

Tensor LanguageModel::operator()(const Packed& ids) const {
  check_offsets("language_model", ids.offsets, ids.tokens);
  if (!kind.packed) {
    throw ValueError(fmt::format("language_model: {} cannot read packed texts", options.attention));
  }
  const std::vector<Index> steps = ids.places();
  const Index longest = steps.empty() ? 1 : *std::max_element(steps.begin(), steps.end()) + 1;
  if (longest > options.context) {
    throw ShapeError(fmt::format("language_model: a text of {} tokens in a context of {}", longest,
                                 options.context));
  }
  // Rotary ones count from the first text's begin: only how far two tokens stand apart matters.
  Tensor rows = positions(0, longest);
  if (rows.defined()) rows = index_select(rows, 0, Tensor(Array::from(steps)));
  const Tensor x = embed(ids.tokens, rows);
  const attention::Mask mask = attention::Mask::causal() & attention::Mask::segments(ids.offsets);
  const Tensor out = squeeze((*layers)(unsqueeze(x, 0), {.mask = mask}).output, 0);
  return forwarded(tokens.scores(out));
}

Tensor LanguageModel::step(const Tensor& ids, Past& past) const {
  if (!reader && !kind.steps) {
    throw ValueError(
        fmt::format("language_model: {} cannot go on step by step", options.attention));
  }
  const Tensor x =
      reader ? read(ids, &past.reader) : layers->step(embed(ids, past.length), past.layers).output;
  past.length += ids.size(1);
  return tokens.scores(select(x, 1, -1));
}

}  // namespace language_model
