// heed.attention: weights that are marginals of a structure: chains, trees, matchings.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_GIVES(ChainMarginals, nodes, log_partition)
HEED_GIVES(SparseChain, nodes, count)
HEED_GIVES(TreeMarginals, parents, roots, log_partition)
HEED_GIVES(TreeAttended, context, weights, roots)
HEED_FIELDS(TreeAttentionOptions, width, hidden, dtype)
HEED_FIELDS(SinkhornOptions, iterations, temperature)

void bind_structured(py::module_& m) {
  record<ChainMarginals>(m, "nodes [.., T, S], log_partition [..].");
  function(m, "linear_chain", "u, transitions, allowed=", &linear_chain,
           "Marginals of u [.., T, S], transitions [S, S] (Kim et al. 2017).");
  Mechanism<LinearChain, Normaliser>(m, "Places depend on their neighbours (Kim et al. 2017).")
      .init<DType>("dtype");
  record<SparseChain>(m, "nodes [.., T, S], count i64 [..].");
  function(m, "sparse_chain", "u, transitions, allowed=", &sparse_chain,
           "SparseMAP over a chain (Niculae et al. 2018).");
  Mechanism<SparseLinearChain, Normaliser>(m, "SparseMAP's marginals (Niculae et al. 2018).")
      .init<DType>("dtype");
  record<TreeMarginals>(m, "parents [.., T, T], roots [.., T], log_partition [..].");
  function(m, "spanning_trees", "scores, roots, allowed=", &spanning_trees,
           "Marginals of all trees of scores [.., T, T], roots [.., T] (Koo et al. 2007).");
  record<TreeAttended, Attended>(m, "context [B, T, E], weights [B, T, T], roots [B, T].");
  Mechanism<TreeAttention>(m, "Each token looks at its parent (Liu and Lapata 2018).")
      .init<TreeAttentionOptions>()
      .forward("input, mask, need_weights", &TreeAttention::operator(), "[B, T, E].");
  Mechanism<Sinkhorn, Normaliser>(m, "A soft matching (Sinkhorn 1964, Sander et al. 2022).")
      .init<SinkhornOptions>();
}

}  // namespace heed::python
