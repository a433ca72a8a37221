// The hierarchical attention network of Yang et al. 2016: words to a sentence, sentences to a
// document, each by a bidirectional GRU whose states are pooled by attention; then a linear
// classifier.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../attention/mechanisms/pooling/hierarchical.h"
#include "../../data/coder.h"
#include "../../data/document_batch.h"
#include "../../io/fields.h"
#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"

namespace document_classifier {

using namespace heed;  // an application speaks the library's language

struct ModelOptions {
  Index vocabulary = 2;
  Index classes = 2;
  Index embedding = 100;
  Index hidden = 50;
  double dropout = 0.3;
  std::string pooling = "attention";
  void fields(io::Fields& f) {
    f.size("embedding", embedding, 1, 65536, "width of a word");
    f.size("hidden", hidden, 1, 65536, "width of a GRU's state in each direction");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.choice("pooling", pooling, {"attention", "average", "maximum"},
             "what stands where the paper has attention");
  }
};

/// Which words are known, and what they begin with.
struct WordOptions {
  Index vocabulary = 30000, subwords = 0, min_count = 1;
  std::string vectors = {};
  void fields(io::Fields& f) {
    f.size("vocabulary", vocabulary, 1, 10000000, "most words to know");
    f.size("learned_subwords", subwords, 0, 1000000,
           "learned from the texts, by sentencepiece, to read in place of words; 0: none");
    f.size("min_count", min_count, 1, 1000000, "a rarer word is unknown");
    f.text("vectors", vectors,
           "a file of words' vectors to begin with, as word2vec and GloVe write them");
  }
};

/// What is kept of a text.
struct Limits : data::DocumentLimits {
  void fields(io::Fields& f) {
    f.size("max_sentences", sentences, 1, 100000, "of a document");
    f.size("max_words", words, 1, 100000, "of a sentence");
  }
};

struct Reading {
  Tensor logits;  ///< [B, classes]
  // Only when asked for; empty for average and maximum pooling, which have no weights.
  std::vector<std::vector<double>> words;      ///< of each sentence of the batch
  std::vector<std::vector<double>> sentences;  ///< of each document
};

class HierarchicalAttention : public nn::Module {
 public:
  explicit HierarchicalAttention(const ModelOptions& options);

  ModelOptions options;
  nn::Embedding& embedding;
  nn::Dropout& dropout;
  nn::GRU &words, &sentences;
  attention::Hierarchical& attend;
  nn::Linear& classifier;

  Reading operator()(const data::DocumentBatch& batch, bool need_weights = false) const;
};

/// How a text is read: as words, or as the subwords of a coder.
struct TextReader {
  Limits limits;
  std::shared_ptr<const data::Coder> coder = {};
  data::Document operator()(const std::string& text) const;
};

/// All that it takes to read a document.
struct Classifier {
  std::vector<std::string> classes;
  TextReader reader;
  data::Vocabulary vocabulary;
  std::unique_ptr<HierarchicalAttention> model;
  WordOptions words = {};
};
/// What io::save_directory() writes and load() reads.
io::DirectoryFiles files_of(const Classifier& classifier);
/// Throws IoError; FormatError for a damaged folder, or a vocabulary that does not fit the weights.
Classifier load(const std::string& folder);

}  // namespace document_classifier
