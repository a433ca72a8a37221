// What every model of the family does: it reads a source, and writes a target, in training all
// words at once from those before each, in decoding step by step.
//
//   source, target  i64 [B, K], [B, T], padded with kPadding behind each row's length
//   features        [B, T, R] -> logits [N, V] = out(features)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../autograd/ops/packed/packed.h"
#include "../../data/subwords.h"
#include "../../io/model_directory.h"
#include "../../nn/beam_search.h"
#include "tables.h"

namespace translation {

/// Rows of numbers, padded.
struct Rows {
  Tensor ids;                  ///< i64 [B, T]
  std::vector<Index> lengths;  ///< B
};

/// What one layer or head looked at while a target was read: [B, T, K].
struct Look {
  std::string name;  ///< "attention", "layer 2 head 3"
  Tensor weights;
};

class Translator : public nn::Module {
 public:
  /// `features`: R.
  Translator(const ModelOptions& given, Index features)
      : options(given), tables(child<Tables>("tables", given, features)) {}
  ModelOptions options;
  Tables& tables;

  /// What is known before each word of the target is chosen: `before` holds the words before, the
  /// begin mark first. [B, T, R]. The weights of all layers and heads go into `looks` where it is
  /// not null.
  virtual Tensor features(const Rows& source, const Rows& before,
                          std::vector<Look>* looks = nullptr) const = 0;
  /// The same of texts one behind the other: [N, R]. Throws ValueError for a model that cannot.
  virtual Tensor features(const Packed& source, const Packed& before) const;
  /// What each layer of an encoder that attends to itself looks at in one source, [heads, K, K];
  /// none of a model without.
  virtual std::vector<Array> self_looks(const Rows& source) const;
  /// [.., R] -> [.., V].
  Tensor logits(const Tensor& features) const { return tables.logits(features); }
  /// Begins to write, a row a source. The model must outlive what it returns.
  virtual std::unique_ptr<nn::Decoding> start(const Rows& source) const = 0;
};

/// The model that options.model names. Throws ValueError for options that make no sense.
std::unique_ptr<Translator> make_translator(const ModelOptions& options);

/// Which vocabularies are learned.
struct WordOptions : data::CoderOptions {
  void fields(io::Fields& f) {
    f.size("subwords", subwords, 0, 1 << 24, "pieces of a vocabulary; 0: whole words");
    f.size("min_count", min_count, 1, 1 << 24, "of a word that is learned");
    f.size("max_vocabulary", max_words, 0, 1 << 24, "the most frequent words; 0: all");
  }
};

/// All that it takes to translate. With a shared vocabulary both coders are one.
struct Language {
  std::shared_ptr<const data::Coder> source, target;
  std::unique_ptr<Translator> model;
  WordOptions words = {};
};
/// What io::save_directory() writes and load() reads.
io::DirectoryFiles files_of(const Language& language);
/// Throws IoError; FormatError for a damaged folder, or a vocabulary that does not fit the weights.
Language load(const std::string& folder);

}  // namespace translation
