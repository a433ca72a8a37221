// heed.attention: two texts, or a text and a picture, that look at each other.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_GIVES(PairOutput, context, premise, pair, weights, premise_weights)
HEED_GIVES(EntailmentOutput, context, weights, pair)
HEED_GIVES(ConditionalEncodingOutput, premise, hypothesis, last)
HEED_GIVES(AttentionOverAttentionOutput, weights, by_query, of_queries)
HEED_GIVES(BiDirectionalOutput, context, weights, of_context)
HEED_GIVES(CoAttentionOutput, image, question, summary)
HEED_GIVES(CoAttentionHierarchyOutput, logits, levels)
HEED_GIVES(CoupledSide, logits, context, weights)
HEED_GIVES(CoupledMultiLayerOutput, aspect, opinion)
HEED_GIVES(MultiPerspectiveOutput, premise, hypothesis, premise_weights, hypothesis_weights)
HEED_GIVES(GatedAttentionOutput, weights, by_place)
HEED_GIVES(StackedOutput, context, weights)
HEED_GIVES(TwoStreamsOutput, x, y)
HEED_FIELDS(BiMPMOptions, width, hidden, perspectives, full, max_pooling, attentive, max_attentive,
            dropout, dtype)
HEED_FIELDS(CoAttentionOptions, question_width, image_width, hidden, dtype)
HEED_FIELDS(CoAttentionHierarchyOptions, width, hidden, answers, kind, dtype)
HEED_FIELDS(CoupledOptions, width, slices, hidden, layers, labels, coupled, dtype)
HEED_FIELDS(DecomposableOptions, width, hidden, dropout, differences, dtype)
HEED_FIELDS(EsimOptions, width, hidden, dropout, dtype)
HEED_FIELDS(GatedAttentionOptions, input, hidden, hops, dropout, dtype)
HEED_FIELDS(GatedMatchingOptions, width, question_width, hidden, dtype)
HEED_FIELDS(MultiPerspectiveOptions, hidden, perspectives, full, max_pooling, attentive,
            max_attentive, dtype)
HEED_FIELDS(SelfMatchingOptions, width, hidden, dtype)
HEED_FIELDS(StackedOptions, width, hidden, hops, dtype)
HEED_FIELDS(TwoStreamsOptions, width, other_width, heads, hidden, other_hidden, dropout, dtype)

namespace {

const char* const kPair = "premise, hypothesis, premise_lengths, hypothesis_lengths, need_weights";
const char* const kOfPair = "premise [B, L, E], hypothesis [B, T, E].";

template <class T, class... Parts>
void pair(py::module_& m, const char* what, const char* names = "") {
  Mechanism<T>(m, what).template init<Parts...>(names).forward(kPair, &T::operator(), kOfPair);
}

void bind_entailment(py::module_& m) {
  record<PairOutput>(m, "context, premise, pair, weights, premise_weights of a pair of texts.");
  record<EntailmentOutput>(m, "context [B, T, k], weights [B, T, L], pair [B, k].");
  record<ConditionalEncodingOutput>(m, "premise [B, L, k], hypothesis [B, T, k], last [B, k].");
  pair<DecomposableAttention, DecomposableOptions>(m, "Attend, compare (Parikh et al. 2016).");
  pair<ESIM, EsimOptions>(m, "Enhanced sequential inference (Chen et al. 2017).");
  pair<BiMPM, BiMPMOptions>(m, "Bilateral multi-perspective matching (Wang et al. 2017).");
  pair<TwoWay, Index, Index, DType>(m, "Two-way attention (Rocktaeschel et al. 2016).",
                                    "input, hidden, dtype");
  pair<LSTMNPair, Index, Index, DType>(m, "Memory networks (Cheng et al. 2016).",
                                       "input, hidden, dtype");
  Mechanism<ConditionalEncoding>(
      m, "The hypothesis read behind the premise (Rocktaeschel et al. 2016).")
      .init<Index, Index, DType>("input, hidden, dtype")
      .forward("premise_words, hypothesis_words, premise_lengths, hypothesis_lengths",
               &ConditionalEncoding::operator(), "[B, L, input], [B, T, input].");
  Mechanism<WordByWord>(m, "Each word looks back (Rocktaeschel et al. 2016).")
      .init<Index, DType>("width, dtype")
      .forward("premise, hypothesis, premise_mask, hypothesis_lengths, need_weights",
               &WordByWord::operator(), "[B, L, k], [B, T, k].");
  Mechanism<OneShotAttention>(m, "The last word looks back (Rocktaeschel et al. 2016).")
      .init<Index, DType>("width, dtype")
      .forward("premise, last, premise_mask, need_weights", &OneShotAttention::operator(),
               "[B, L, k], [B, k].");
}

void bind_readers(py::module_& m) {
  record<AttentionOverAttentionOutput>(m, "weights [B, D], by_query [B, D, T], of_queries [B, T].");
  Mechanism<AttentionOverAttention>(m, "Cui et al. 2017.")
      .init<>()
      .forward("document, query, document_mask, query_mask, need_weights",
               &AttentionOverAttention::operator(), "[B, D, d], [B, T, d].");
  Mechanism<AttentionSum>(m, "The attention sum reader (Kadlec et al. 2016).")
      .init<>()
      .forward("document, query, mask", &AttentionSum::operator(), "[B, D, d], [B, d] -> [B, D].");
  function(m, "pointer_sum", "weights, ids, words, mask", &pointer_sum,
           "P [B, words] of weights [B, D] and the words' ids, i64 [B, D].");
  record<BiDirectionalOutput>(m, "context [B, T, 4 d], weights [B, T, J], of_context [B, T].");
  Mechanism<Trilinear, Score>(m, "w . [q; k; q o k] (Seo et al. 2017).")
      .init<Index, DType>("width, dtype");
  Mechanism<BiDirectional>(m, "BiDAF (Seo et al. 2017).")
      .init<Index, DType>("width, dtype")
      .forward("context, query, context_mask, query_mask, need_weights", &BiDirectional::operator(),
               "[B, T, d], [B, J, d] -> [B, T, 4 d].");
  record<GatedAttentionOutput>(m, "weights [B, D], by_place of each gate.");
  function(m, "gated_attention", "document, query, query_mask, need_weights", &gated_attention,
           "The gate alone: [B, D, d], [B, T, d] (Dhingra et al. 2017).");
  Mechanism<GatedAttentionReader>(m, "The gated attention reader (Dhingra et al. 2017).")
      .init<GatedAttentionOptions>()
      .forward("document, query, document_lengths, query_lengths, need_weights",
               &GatedAttentionReader::operator(), "[B, D, input], [B, T, input].");
  Mechanism<GatedMatching>(m, "R-Net: a passage reads a question (Wang et al. 2017).")
      .init<GatedMatchingOptions>()
      .forward("passage, question, lengths, question_mask, need_weights",
               &GatedMatching::operator(), "[B, T, d], [B, J, dq] -> [B, T, H].");
  record<MultiPerspectiveOutput>(
      m, "premise, hypothesis [B, N, 2 S L], premise_weights, hypothesis_weights [B, 2, N, M].");
  Mechanism<MultiPerspectiveMatching>(m, "BiMPM's matching layer (Wang et al. 2017).")
      .init<MultiPerspectiveOptions>()
      .forward("premise, hypothesis, premise_mask, hypothesis_mask, need_weights",
               &MultiPerspectiveMatching::operator(), "[B, N, 2 H], [B, M, 2 H].")
      .method("width", "", &MultiPerspectiveMatching::width, "2 S L.");
  Mechanism<SelfMatching>(m, "R-Net: a passage reads itself (Wang et al. 2017).")
      .init<SelfMatchingOptions>()
      .forward("passage, lengths, need_weights", &SelfMatching::operator(),
               "[B, T, d] -> [B, T, 2 H].");
}

template <class T>
void co_attention(py::module_& m, const char* what) {
  Mechanism<T, CoAttention>(m, what).template init<CoAttentionOptions>().forward(
      "question, image, question_mask, image_mask, need_weights", &T::operator(),
      "[B, T, question_width], [B, N, image_width].");
}

void bind_pictures(py::module_& m) {
  record<CoAttentionOutput>(m, "image, question, and of the alternating form a summary: Attended.");
  Mechanism<CoAttention>(m, "A question and an image look at each other.");
  co_attention<ParallelCoAttention>(m, "At once, by affinity (Lu et al. 2016).");
  co_attention<AlternatingCoAttention>(m, "In turns (Lu et al. 2016).");
  record<CoAttentionHierarchyOutput>(m, "logits [B, answers], and each level's CoAttentionOutput.");
  Mechanism<CoAttentionHierarchy>(m, "Words, phrases, question (Lu et al. 2016).")
      .init<CoAttentionHierarchyOptions>()
      .forward("words, image, lengths, image_mask, need_weights", &CoAttentionHierarchy::operator(),
               "[B, T, d], [B, N, d].");
  record<StackedOutput>(m, "context as the query, the weights of each hop.");
  Mechanism<StackedAttention>(m, "Looks several times (Yang et al. 2016).")
      .init<StackedOptions>()
      .forward("query, image, image_mask, need_weights", &StackedAttention::operator(),
               "[B, d] or [B, Q, d], and [B, N, d].");
  record<TwoStreamsOutput>(m, "x and y: Attended.");
  Mechanism<TwoStreams>(m, "ViLBERT's co-attention layer (Lu et al. 2019).")
      .init<TwoStreamsOptions>()
      .forward("x, y, x_mask, y_mask, need_weights", &TwoStreams::operator(),
               "[B, T, width], [B, N, other_width].");
}

void bind_coupled(py::module_& m) {
  record<CoupledSide>(m, "logits [B, T, labels], context [B, d], weights of each layer.");
  record<CoupledMultiLayerOutput>(m, "aspect and opinion.");
  Mechanism<CoupledMultiLayerAttention>(m, "Aspects and opinions (Wang et al. 2017).")
      .init<CoupledOptions>()
      .forward("tokens, lengths, need_weights", &CoupledMultiLayerAttention::operator(),
               "[B, T, d].");
}

}  // namespace

void bind_pairs(py::module_& m) {
  bind_entailment(m);
  bind_readers(m);
  bind_pictures(m);
  bind_coupled(m);
}

}  // namespace heed::python
