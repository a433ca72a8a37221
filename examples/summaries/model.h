// What shortens articles: six that read words by a recurrent network, and differ in the attention.
//
//   titles, from an LSTM's states of the first words, both ways:
//     coverage   a pointer-generator with coverage (See et al. 2017)
//     copy       the same without coverage
//     write      the same without copying: it knows the words of its vocabulary only
//     abs        the attention-based summariser (Rush et al. 2015), which has no such states
//   sentences, from a GRU's states of each one's words, pooled, and a GRU over these, by a pointer:
//     pointer    pooled by attention (Yang et al. 2016)
//     mean       by their mean
#pragma once

#include <memory>
#include <optional>

#include "../../attention/mechanisms/decoders/pointer_generator.h"
#include "../../attention/mechanisms/decoders/subset_pointer.h"
#include "../../attention/mechanisms/decoders/summariser.h"
#include "../../attention/mechanisms/pooling/pooling.h"
#include "../../data/copy_batch.h"
#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/lstm.h"
#include "../../train/alignment.h"
#include "../../train/run.h"
#include "../known_words.h"
#include "corpus.h"

namespace summaries {

struct ModelOptions {
  std::string attention = "coverage";
  Index vocabulary = 0;
  Index width = 64;
  Index hidden = 64;
  double dropout = 0.2;
  Index source = 100;
  void fields(io::Fields& f) {
    f.choice("attention", attention, {"coverage", "copy", "write", "abs", "pointer", "mean"},
             "of titles: pointer-generator with coverage, without, without copying, ABS; of picked "
             "sentences: to their words, or the mean in its place");
    f.size("width", width, 1, 1 << 14, "of a word");
    f.size("hidden", hidden, 1, 1 << 14, "of a state");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.size("source", source, 1, 1 << 14, "words of an article that a title is written from");
  }
  bool picks() const { return attention == "pointer" || attention == "mean"; }
  bool copies() const { return attention == "coverage" || attention == "copy"; }
};

struct AnswerOptions {
  Index picks = 3;
  Index beam = 4;
  void fields(io::Fields& f) {
    f.size("picks", picks, 0, 1000, "sentences to pick; 0: until the pointer points to the end");
    f.size("beam", beam, 1, 100, "titles that the search keeps");
  }
};

struct Answer {
  std::vector<Index> picks = {};        ///< sentences, in the order in which they were picked
  std::vector<std::string> title = {};  ///< or words
};

class Editor : public nn::Module {
 public:
  /// Throws ValueError for options out of range.
  explicit Editor(const ModelOptions& options);

  const ModelOptions options;
  nn::Embedding* words = nullptr;  // null is what another kind has
  nn::Embedding* often = nullptr;  ///< how often the article has the word
  nn::Dropout& dropout;
  nn::LSTM* encoder = nullptr;
  nn::Linear *start_h = nullptr, *start_c = nullptr;
  attention::PointerGenerator* decoder = nullptr;
  attention::Summariser* abs = nullptr;
  nn::GRU *word_gru = nullptr, *sentence_gru = nullptr;
  attention::AttentionPooling* pool = nullptr;
  attention::SubsetPointer* point = nullptr;

  /// `coverage` weighs the loss of looking twice.
  train::Loss loss(const Articles& articles, const data::Vocabulary& vocabulary,
                   double coverage) const;
  std::vector<Answer> answer(const Articles& articles, const data::Vocabulary& vocabulary,
                             const AnswerOptions& how) const;
  /// Which words of a title were copied from where, p_gen beside each; without rows where none is.
  train::Alignment copied(const data::Article& article, const Answer& answer,
                          const data::Vocabulary& vocabulary) const;

 private:
  Tensor read(const Articles& articles, const data::Vocabulary& vocabulary) const;  // [B, K, 2 H]
  attention::PointerGenerator::State read(const data::CopyBatch& batch) const;
  data::CopyBatch batch_of(const Articles& articles, const data::Vocabulary& vocabulary) const;
};

/// All that it takes to shorten an article.
struct Desk {
  data::Vocabulary vocabulary;
  std::unique_ptr<Editor> editor;
  command_line::KnownWords known = {.min_count = 5};
  std::optional<std::uint64_t> seed = {};  ///< which drew the articles that it has not seen
};
io::DirectoryFiles files_of(const Desk& desk);
/// Throws IoError; FormatError for a damaged folder, or a vocabulary that does not fit the weights.
Desk load(const std::string& folder);

}  // namespace summaries
