// Readers that answer a cloze query with a word of the passage: words, a GRU over the passage and
// one over the query, an attention that gives each place a weight, and the sum of a word's weights.
#pragma once

#include <memory>
#include <string>

#include "../../attention/mechanisms/pairs/attention_over_attention.h"
#include "../../attention/mechanisms/pairs/gated_attention.h"
#include "../../data/cloze_batch.h"
#include "../../io/model_directory.h"
#include "../../nn/embedding.h"
#include "../known_words.h"
#include "corpus.h"

namespace cloze {

struct ModelOptions {
  std::string attention = "aoa";
  Index vocabulary = 2, letters = 2;  ///< how many there are
  Index unknown = 30;
  Index width = 64;
  Index marks = 8;
  Index hidden = 48;
  Index hops = 2;
  double dropout = 0.3;
  bool spelling = true, overlap = true;
  data::ClozeOptions longest;
  DType dtype = DType::f32;
  void fields(io::Fields& f) {
    f.choice("attention", attention, {"sum", "aoa", "gated", "none"},
             "sum; aoa: over attention; gated; none: nothing is asked, each place of the passage "
             "has a weight of its own");
    f.size("unknown", unknown, 1, 1 << 12, "numbers for words that the vocabulary lacks");
    f.size("width", width, 1, 1 << 12, "of a word's vector");
    f.size("marks", marks, 1, 1 << 12, "numbers for how often the passage has a word");
    f.size("hidden", hidden, 1, 1 << 12, "of each GRU, in each direction");
    f.size("hops", hops, 1, 16, "readings of the gated reader");
    f.number("dropout", dropout, 0, 0.99, "of words and of the GRUs' states");
    f.flag("spelling", spelling, "to a word's vector those of its letters are added");
    f.flag("overlap", overlap, "marks also tell whether the query has the word");
    f.size("passage", longest.passage, 1, data::kLongestCloze, "words of the longest passage");
    f.size("query", longest.query, 1, data::kLongestCloze, "words of the longest query");
  }
};

struct Reading {
  attention::AttentionOverAttentionOutput seen;  ///< weights; of aoa all of it, where asked for
  Tensor words;                                  ///< probabilities, [B, candidates]
};

class ClozeReader : public nn::Module {
 public:
  /// Throws ValueError for options out of range.
  explicit ClozeReader(const ModelOptions& options);

  ModelOptions options;
  nn::Embedding& words;
  nn::Embedding& marks;
  nn::Dropout& dropout;
  Tensor& asked;                                                ///< of none: what is asked always
  nn::Embedding* letters = nullptr;                             ///< null without spelling
  nn::GRU* passage = nullptr;                                   ///< null: gated has its own
  nn::GRU* query = nullptr;                                     ///< null: likewise, and of none
  attention::AttentionSum* sum = nullptr;                       ///< of sum and none
  attention::AttentionOverAttention* over_attention = nullptr;  ///< of aoa
  attention::GatedAttentionReader* gated = nullptr;             ///< of gated

  Reading operator()(const data::ClozeBatch& batch, bool need_weights = false) const;

 private:
  Tensor vectors(const data::ClozeBatch::Side& side) const;  // [B, T, width + marks]
};

/// The mean negative log of the answers' probabilities.
Tensor loss_of(const ClozeReader& reader, const data::ClozeBatch& batch);

struct Reader {
  data::ClozeNumbers numbers;
  std::unique_ptr<ClozeReader> model;
  command_line::KnownWords known = {.min_count = 20};
};
/// Knows the words of these rows that come `min_count` times, and begins with vectors for them that
/// skip-gram learns from the rows.
Reader make_reader(ModelOptions options, const std::vector<Cloze>& rows, Index min_count,
                   Generator& generator);
io::DirectoryFiles files_of(const Reader& reader);
/// Throws IoError, FormatError.
Reader load_reader(const std::string& folder);

}  // namespace cloze
