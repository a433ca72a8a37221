#include "model.h"

#include "../../nn/init.h"

namespace document_classifier {
namespace {

nn::GRUOptions reader(Index input, Index hidden) {
  return {.input = input, .hidden = hidden, .bidirectional = true};
}

// What `encoder` makes of it, pooled.
attention::HierarchicalLevel level(const nn::GRU& encoder, const nn::Dropout& dropout,
                                   const ModelOptions& options) {
  attention::HierarchicalLevel out{.width = 2 * options.hidden};
  out.encode_packed = [&](const Packed& x) {
    return encoder(Packed{dropout(x.tokens), x.offsets}).output;
  };
  if (options.pooling == "average") {
    out.pool = [](const Packed& x) { return attention::average_pooling(x); };
  } else if (options.pooling == "maximum") {
    out.pool = [](const Packed& x) { return attention::max_pooling(x); };
  }
  return out;
}

// Weights of all places, cut into those of each sequence.
std::vector<std::vector<double>> rows_of(const Tensor& weights, const std::vector<Index>& counts) {
  const auto flat = weights.array().to(DType::f64).to_vector<double>();
  std::vector<std::vector<double>> out;
  auto next = flat.begin();
  for (const Index count : counts) {
    out.emplace_back(next, next + count);
    next += count;
  }
  return out;
}

}  // namespace

HierarchicalAttention::HierarchicalAttention(const ModelOptions& model)
    : options(model),
      embedding(child<nn::Embedding>(
          "embedding",
          nn::EmbeddingOptions{.count = model.vocabulary, .width = model.embedding, .padding = 0})),
      dropout(child<nn::Dropout>("dropout", model.dropout)),
      words(child<nn::GRU>("words", reader(model.embedding, model.hidden))),
      sentences(child<nn::GRU>("sentences", reader(2 * model.hidden, model.hidden))),
      attend(child<attention::Hierarchical>(
          "attend", std::vector<attention::HierarchicalLevel>{level(words, dropout, model),
                                                              level(sentences, dropout, model)})),
      classifier(child<nn::Linear>("classifier", 2 * model.hidden, model.classes)) {
  nn::normal_(embedding.weight, 0, 0.1);
}

Reading HierarchicalAttention::operator()(const data::DocumentBatch& batch,
                                          bool need_weights) const {
  const Packed ids = pack(batch.words, batch.word_counts);
  const bool weighs = need_weights && options.pooling == "attention";
  const auto read =
      attend(Packed{embedding(ids.tokens), ids.offsets}, {batch.sentence_counts}, weighs);
  Reading out;
  out.logits = forwarded(classifier(dropout(read.context)));
  if (weighs) {
    out.words = rows_of(read.weights[0], batch.word_counts);
    out.sentences = rows_of(read.weights[1], batch.sentence_counts);
  }
  return out;
}

}  // namespace document_classifier
