#include "model.h"

#include <algorithm>
#include <numeric>

#include "../../autograd/ops/index.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../nn/init.h"

namespace document_classifier {
namespace {

Tensor ids_of(const std::vector<Index>& ids) { return Array::from(ids); }

// Rows of a [B, T] tensor of weights, each cut to its length.
void take_rows(const Tensor& weights, const std::vector<Index>& lengths,
               const std::vector<Index>& places, std::vector<std::vector<double>>& to) {
  const std::vector<double> flat = weights.array().to(DType::f64).to_vector<double>();
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const auto begin = flat.begin() + static_cast<Index>(row) * weights.size(1);
    to[static_cast<std::size_t>(places[row])].assign(begin, begin + lengths[row]);
  }
}

// Vectors [N, E] of which counts[b] follow each other for document b -> [B, max(counts), E], padded
// with zeros.
Tensor by_document(const Tensor& vectors, const std::vector<Index>& counts) {
  const auto documents = static_cast<Index>(counts.size());
  const Index longest = *std::max_element(counts.begin(), counts.end());
  const Index total = vectors.size(0);  // the place of the row of zeros
  std::vector<Index> places(static_cast<std::size_t>(documents * longest), total);
  Index next = 0;
  for (Index b = 0; b < documents; ++b) {
    for (Index s = 0; s < counts[static_cast<std::size_t>(b)]; ++s) {
      places[static_cast<std::size_t>(b * longest + s)] = next++;
    }
  }
  const Tensor padded = concat({vectors, zeros({1, vectors.size(1)}, vectors.dtype())});
  return reshape(index_select(padded, 0, ids_of(places)), {documents, longest, vectors.size(1)});
}

// Cuts rows, ordered by falling length, into groups: a new one where a row needs less than three
// quarters of what the group's first needs, so that little of a group is padding.
std::vector<Index> group_ends(const std::vector<Index>& order, const std::vector<Index>& lengths) {
  constexpr std::size_t kLeast = 16;  // rows worth a group of their own
  std::vector<Index> ends;
  std::size_t begin = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Index first = lengths[static_cast<std::size_t>(order[begin])];
    const Index here = lengths[static_cast<std::size_t>(order[i])];
    if (i - begin >= kLeast && 4 * here < 3 * first) {
      ends.push_back(static_cast<Index>(i));
      begin = i;
    }
  }
  ends.push_back(static_cast<Index>(order.size()));
  return ends;
}

}  // namespace

PoolingKind pooling_kind(const std::string& name) {
  if (name == "attention") return PoolingKind::attention;
  if (name == "average") return PoolingKind::average;
  if (name == "maximum") return PoolingKind::maximum;
  throw ValueError("pooling: '" + name + "' is none of attention, average, maximum");
}

const char* name(PoolingKind kind) {
  switch (kind) {
    case PoolingKind::attention: return "attention";
    case PoolingKind::average: return "average";
    case PoolingKind::maximum: break;
  }
  return "maximum";
}

Level::Level(Index input, Index hidden, PoolingKind pooling)
    : encoder(child<nn::GRU>(
          "encoder", nn::GRUOptions{.input = input, .hidden = hidden, .bidirectional = true})),
      kind_(pooling) {
  if (pooling == PoolingKind::attention) {
    attend_ = &child<attention::AttentionPooling>("attend", 2 * hidden);
  }
}

attention::Attended Level::operator()(const Tensor& x, const std::vector<Index>& lengths,
                                      bool need_weights) {
  const Tensor states = encoder(x, lengths).output;
  const auto mask = attention::Mask::lengths(lengths, x.size(1));
  attention::Attended out;
  switch (kind_) {
    case PoolingKind::attention: out = (*attend_)(states, mask, need_weights); break;
    case PoolingKind::average: out.context = attention::average_pooling(states, mask); break;
    case PoolingKind::maximum: out.context = attention::max_pooling(states, mask); break;
  }
  out.context = forwarded(out.context);
  return out;
}

HierarchicalAttention::HierarchicalAttention(const ModelOptions& model)
    : options(model),
      embedding(child<nn::Embedding>(
          "embedding",
          nn::EmbeddingOptions{.count = model.vocabulary, .width = model.embedding, .padding = 0})),
      dropout(child<nn::Dropout>("dropout", model.dropout)),
      words(child<Level>("words", model.embedding, model.hidden, model.pooling)),
      sentences(child<Level>("sentences", 2 * model.hidden, model.hidden, model.pooling)),
      classifier(child<nn::Linear>("classifier", 2 * model.hidden, model.classes)) {
  nn::normal_(embedding.weight, 0, 0.1);
}

// Sentences of like length are read together: in a batch of real documents most of a block as wide
// as the longest sentence would be padding.
Tensor HierarchicalAttention::read_sentences(const data::DocumentBatch& batch,
                                             std::vector<std::vector<double>>* weights) {
  const std::vector<Index>& lengths = batch.word_counts;
  std::vector<Index> order(lengths.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return lengths[static_cast<std::size_t>(a)] > lengths[static_cast<std::size_t>(b)];
  });
  const Tensor ids = index_select(batch.words, 0, ids_of(order));
  std::vector<Tensor> contexts;
  Index begin = 0;
  for (const Index end : group_ends(order, lengths)) {
    std::vector<Index> group_lengths, places;
    for (Index i = begin; i < end; ++i) {
      places.push_back(order[static_cast<std::size_t>(i)]);
      group_lengths.push_back(lengths[static_cast<std::size_t>(places.back())]);
    }
    const Tensor group = narrow(narrow(ids, 0, begin, end - begin), 1, 0, group_lengths.front());
    const auto read = words(dropout(embedding(group)), group_lengths, weights != nullptr);
    if (weights && read.weights.defined()) take_rows(read.weights, group_lengths, places, *weights);
    contexts.push_back(read.context);
    begin = end;
  }
  std::vector<Index> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }
  return index_select(concat(contexts), 0, ids_of(back));
}

Reading HierarchicalAttention::operator()(const data::DocumentBatch& batch, bool need_weights) {
  Reading out;
  const bool weighs = need_weights && options.pooling == PoolingKind::attention;
  if (weighs) {
    out.words.resize(batch.word_counts.size());
    out.sentences.resize(batch.sentence_counts.size());
  }
  const Tensor vectors = dropout(read_sentences(batch, weighs ? &out.words : nullptr));
  const auto document =
      sentences(by_document(vectors, batch.sentence_counts), batch.sentence_counts, weighs);
  if (weighs) {
    std::vector<Index> rows(batch.sentence_counts.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    take_rows(document.weights, batch.sentence_counts, rows, out.sentences);
  }
  out.logits = forwarded(classifier(dropout(document.context)));
  return out;
}

}  // namespace document_classifier
