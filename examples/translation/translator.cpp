#include "translator.h"

#include <fmt/format.h>

#include <utility>

#include "../../core/error.h"
#include "bahdanau_model.h"
#include "coder.h"
#include "conv_model.h"
#include "luong_model.h"
#include "seq2seq_model.h"
#include "transformer_model.h"

namespace translation {

using heed::ValueError;

namespace {

void check(const ModelOptions& options) {
  const std::pair<const char*, Index> sizes[] = {
      {"width", options.width}, {"hidden", options.hidden}, {"layers", options.layers},
      {"heads", options.heads}, {"kernel", options.kernel}, {"longest", options.longest}};
  for (const auto& [name, size] : sizes) {
    if (size <= 0) throw ValueError(fmt::format("{}: {} must be positive", name, size));
  }
  const std::pair<const char*, Index> vocabularies[] = {{"source_words", options.source_words},
                                                        {"target_words", options.target_words}};
  for (const auto& [name, words] : vocabularies) {
    if (words > kEnd) continue;
    throw ValueError(fmt::format("{}: {} leaves no room for the {} marks", name, words, kEnd + 1));
  }
  if (options.half_width < 0) {
    throw ValueError(fmt::format("half_width: {} must not be negative", options.half_width));
  }
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    throw ValueError(fmt::format("dropout: {} is not in [0, 1)", options.dropout));
  }
}

}  // namespace

std::unique_ptr<Translator> make_translator(const ModelOptions& options) {
  check(options);
  if (options.model == "seq2seq") {
    if (options.style == "sutskever") return std::make_unique<SutskeverModel>(options);
    if (options.style == "cho") return std::make_unique<ChoModel>(options);
    throw ValueError("style: '" + options.style + "' is none of sutskever, cho");
  }
  if (options.model == "bahdanau") return std::make_unique<BahdanauModel>(options);
  if (options.model == "luong") return std::make_unique<LuongModel>(options);
  if (options.model == "conv") return std::make_unique<ConvModel>(options);
  if (options.model == "transformer") return std::make_unique<TransformerModel>(options);
  throw ValueError("model: '" + options.model +
                   "' is none of seq2seq, bahdanau, luong, conv, transformer");
}

}  // namespace translation
