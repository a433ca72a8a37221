#include "sentencepiece.h"

#include <fmt/format.h>

#include "../core/error.h"

#ifdef HEED_SENTENCEPIECE
#include "texts-inl.h"
#endif

namespace heed::data {

#ifdef HEED_SENTENCEPIECE

std::string train_sentencepiece(const std::vector<std::string>& texts,
                                const SentencepieceTraining& options) {
  std::string model;
  detail::Texts iterator(texts);
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", options.unigram ? "unigram" : "bpe"},
       {"vocab_size", fmt::to_string(options.size)},
       {"hard_vocab_limit", "false"},
       {"byte_fallback", options.byte_fallback ? "true" : "false"},
       {"character_coverage", fmt::to_string(options.coverage)},
       {"normalization_rule_name", options.normalises ? "nmt_nfkc" : "identity"},
       {"num_threads", "1"},
       {"minloglevel", "2"}},
      &iterator, &model);
  if (!status.ok()) throw ValueError(fmt::format("train_sentencepiece: {}", status.message()));
  return model;
}

#else

std::string train_sentencepiece(const std::vector<std::string>&, const SentencepieceTraining&) {
  throw ValueError("train_sentencepiece: this program was built without sentencepiece");
}

#endif

}  // namespace heed::data
