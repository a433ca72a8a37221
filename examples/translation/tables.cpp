#include "tables.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../../data/coder.h"
#include "../../nn/init.h"

namespace translation {
namespace {

nn::EmbeddingOptions table_of(const ModelOptions& options, Index words) {
  return {.count = words,
          .width = options.width,
          .padding = data::kPadding,
          .sparse = !options.tied,
          .dtype = options.dtype};
}

}  // namespace

Tables::Tables(const ModelOptions& options, Index features)
    : source_words(child<nn::Embedding>("source_words", table_of(options, options.source_words))),
      target_words(child<nn::Embedding>("target_words", table_of(options, options.target_words))),
      projection(
          options.tied && features != options.width
              ? &child<nn::Linear>("projection", features, options.width, false, options.dtype)
              : nullptr),
      out(child<nn::Linear>("out", projection ? options.width : features, options.target_words,
                            true, options.dtype)),
      dropout(child<nn::Dropout>("dropout", options.dropout)),
      scale_(std::sqrt(static_cast<double>(options.width))) {
  if (options.shared && options.source_words != options.target_words) {
    throw ValueError(fmt::format("shared: the vocabularies have {} and {} words",
                                 options.source_words, options.target_words));
  }
  const NoGrad scope;
  for (nn::Embedding* table : {&source_words, &target_words}) {
    table->weight.copy_from((table->weight / scale_).array());
  }
  nn::zeros_(out.bias);
  if (options.shared) source_words.weight = target_words.weight;
  if (options.tied) out.weight = target_words.weight;
}

}  // namespace translation
