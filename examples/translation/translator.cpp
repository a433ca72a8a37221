#include "translator.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../data/coder.h"
#include "bahdanau_model.h"
#include "conv_model.h"
#include "luong_model.h"
#include "seq2seq_model.h"
#include "transformer_model.h"

namespace translation {

namespace {

void check(const ModelOptions& options) {
  io::check_fields(options);
  for (const Index words : {options.source_words, options.target_words}) {
    if (words > data::kEnd) continue;
    throw ValueError(
        fmt::format("a vocabulary of {} leaves no room for the {} marks", words, data::kEnd + 1));
  }
}

}  // namespace

Tensor Translator::features(const Packed&, const Packed&) const {
  throw ValueError("packed: a " + options.model +
                   " model reads padded batches only; a transformer reads both");
}

std::vector<Array> Translator::self_looks(const Rows&) const { return {}; }

std::unique_ptr<Translator> make_translator(const ModelOptions& options) {
  check(options);
  if (options.model == "seq2seq") {
    if (options.style == "cho") return std::make_unique<ChoModel>(options);
    return std::make_unique<SutskeverModel>(options);
  }
  if (options.model == "bahdanau") return std::make_unique<BahdanauModel>(options);
  if (options.model == "luong") return std::make_unique<LuongModel>(options);
  if (options.model == "conv") return std::make_unique<ConvModel>(options);
  return std::make_unique<TransformerModel>(options);
}

}  // namespace translation
