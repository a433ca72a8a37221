#include "gated_attention.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "gated_attention";

const GatedAttentionOptions& checked(const GatedAttentionOptions& o) {
  if (o.input > 0 && o.hidden > 0 && o.hops > 0) return o;
  throw ValueError(fmt::format("{}: input {}, hidden {} and hops {} must be positive", kOp, o.input,
                               o.hidden, o.hops));
}

}  // namespace

Attended gated_attention(const Tensor& document, const Tensor& query, const Mask& query_mask,
                         bool need_weights) {
  check_batch(kOp, "document", document);
  const MaskedSequence words =
      masked_sequence(kOp, "query", query, document.size(2), document.dtype(), query_mask);
  check_rows_of_batch(kOp, "query", query, document.size(0));
  Terms terms{.need_weights = need_weights};
  if (words.real.defined()) terms.mask = Mask::key_padding(words.real);
  Attended out = attend(Dot(), document, words.x, words.x, terms);
  out.context = document * out.context;
  return out;
}

GatedAttentionReader::GatedAttentionReader(const GatedAttentionOptions& o)
    : dropout(child<nn::Dropout>("dropout", checked(o).dropout)),
      point(child<AttentionSum>("point")) {
  for (Index k = 0; k < o.hops; ++k) {
    const auto gru = [&](const char* what, Index input) {
      return &child<nn::GRU>(
          fmt::format("{}_{}", what, k + 1),
          nn::GRUOptions{
              .input = input, .hidden = o.hidden, .bidirectional = true, .dtype = o.dtype});
    };
    documents.push_back(gru("document", k == 0 ? o.input : 2 * Checked(kOp, o.hidden)));
    queries.push_back(gru("query", o.input));
  }
}

GatedAttentionOutput GatedAttentionReader::operator()(const Tensor& document, const Tensor& query,
                                                      const std::vector<Index>& document_lengths,
                                                      const std::vector<Index>& query_lengths,
                                                      bool need_weights) const {
  const Scope scope(*this);
  const Index input = documents.front()->options().input;
  const DType dtype = documents.front()->parameters().front().dtype();
  check_batch(kOp, "document", document);
  check_batch(kOp, "query", query);
  check_rows_of_batch(kOp, "query", query, document.size(0));
  const Mask places = first_places(kOp, "document", document, document_lengths);
  const Mask asked = first_places(kOp, "query", query, query_lengths);
  const Tensor words = masked_sequence(kOp, "query", query, input, dtype, asked).x;
  Tensor x = masked_sequence(kOp, "document", document, input, dtype, places).x;
  GatedAttentionOutput out;
  return named(kOp, [&] {
    for (std::size_t k = 0; k < documents.size(); ++k) {
      if (k > 0) x = dropout(x);
      const Tensor states = (*documents[k])(x, document_lengths).output;
      const RnnResult read = (*queries[k])(k > 0 ? dropout(words) : words, query_lengths);
      if (k + 1 == documents.size()) {
        const Tensor q = concat({select(read.h_n, 0, 0), select(read.h_n, 0, 1)}, -1);
        out.weights = forwarded(point(states, q, places));
        break;
      }
      const Attended gated = gated_attention(states, read.output, asked, need_weights);
      x = gated.context;
      if (need_weights) out.by_place.push_back(gated.weights);
    }
    return std::move(out);
  });
}

}  // namespace heed::attention
