// Hugging Face's families, a reader each: what config.json may say, and a table of names. Each
// throws FormatError for what it does not know, and for files that do not fit; load.h finds out
// which it is.
#pragma once

#include <memory>

#include "bert.h"
#include "decoder_only.h"
#include "family_file.h"
#include "sequence_model.h"

namespace heed::pretrained {

/// GPT-2 (Radford et al. 2019): model_type "gpt2".
std::unique_ptr<DecoderOnly> load_gpt2(FamilyFile& file);
/// LLaMA (Touvron et al. 2023), Mistral (Jiang et al. 2023: a window), Qwen2 (Yang et al. 2024:
/// biases of queries, keys and values): "llama", "mistral", "qwen2".
std::unique_ptr<DecoderOnly> load_llama(FamilyFile& file);
/// BERT (Devlin et al. 2019): "bert", with what heads the file has: the pooler, masked words,
/// classes of a whole text (or the two of the next sentence). Classes of words are refused, and a
/// matrix of masked words that is not the embedding's.
std::unique_ptr<Bert> load_bert(FamilyFile& file);
/// T5 (Raffel et al. 2020), also of version 1.1: "t5".
std::unique_ptr<SequenceModel> load_t5(FamilyFile& file);
/// Marian (Junczys-Dowmunt et al. 2018): "marian".
std::unique_ptr<SequenceModel> load_marian(FamilyFile& file);

}  // namespace heed::pretrained
