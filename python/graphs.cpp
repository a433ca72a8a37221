// heed.attention: graphs as lists of edges, and what attends along them.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(GraphAttentionOptions, kind, input, head_width, heads, average, shared, negative_slope,
            dropout, bias, dtype)
HEED_GIVES(GraphStructure, positions, distances, degrees, lengths)
HEED_FIELDS(GraphStructureOptions, positions, max_distance, max_degree, dtype)
HEED_FIELDS(GraphTransformerOptions, layers, transformer, positions, max_distance, max_degree,
            final_norm)

namespace {

void bind_edges(py::module_& m) {
  py::class_<Edges>(m, "Edges", "A graph: edge i goes from sources[i] to targets[i].")
      .def(py::init<const std::vector<Index>&, const std::vector<Index>&, Index>(),
           py::arg("sources"), py::arg("targets"), py::arg("nodes"))
      .def_static("complete", &Edges::complete, py::arg("lengths"), py::arg("places"))
      .def_static("beside", &Edges::beside, py::arg("graphs"), "One graph behind the other.")
      .def("both_ways", &Edges::both_ways)
      .def("with_self_loops", &Edges::with_self_loops)
      .def_property_readonly("nodes", &Edges::nodes)
      .def("__len__", &Edges::count)
      .def_property_readonly("offsets", &Edges::offsets)
      .def("sources", &Edges::sources, Free(), "i64 [edges], kept by target.")
      .def("targets", &Edges::targets, Free())
      .def("given", &Edges::given, Free(), "Where the edge that came i-th stands now.")
      .def("block", &Edges::block, Free(), "bool [nodes, nodes], what a Mask is made of.");
}

void bind_structure(py::module_& m) {
  function(m, "laplacian_positions", "edges, count, dtype", &laplacian_positions,
           "[nodes, count] (Dwivedi and Bresson 2021).");
  function(m, "with_random_signs", "positions, generator", &with_random_signs,
           "Each column times -1 or 1.");
  function(m, "shortest_paths", "edges, limit", &shortest_paths,
           "Steps between two nodes, i64 [nodes, nodes].");
  function(m, "degrees", "edges, limit", &degrees, "i64 [nodes], at most limit.");
  record<GraphStructure>(m,
                         "positions [B, T, count], distances i64 [B, T, T], degrees i64 [B, T].");
  function(m, "graph_structure", "graphs, places", &graph_structure,
           "Graphs of a batch, padded to so many nodes; an option of 0 is not made.");
}

void bind_graph_layers(py::module_& m) {
  Mechanism<GraphScore, Score>(m, "Of H heads, of targets and sources.")
      .method("of_edges", "target, source, targets, sources", &GraphScore::of_edges,
              "Nodes [N, H, D], edges i64 [M] -> [M, H].");
  Mechanism<StaticGraphScore, GraphScore>(m, "GAT's (Velickovic et al. 2018).")
      .init<Index, Index, double, DType>("heads, width, slope=0.2, dtype");
  Mechanism<DynamicGraphScore, GraphScore>(m, "GATv2's (Brody et al. 2022).")
      .init<Index, Index, double, DType>("heads, width, slope=0.2, dtype");
  Mechanism<GraphAttention>(m, "GAT and GATv2 (Velickovic et al. 2018, Brody et al. 2022).")
      .init<GraphAttentionOptions>()
      .forward(
          "input, edges, need_weights",
          [](const GraphAttention& f, const Tensor& x, const Edges& edges, bool need_weights) {
            return f(x, edges, need_weights);
          },
          "[N, input] -> [N, H D], weights [M, H] in the order in which the edges came.")
      .method(
          "block", "input",
          [](const GraphAttention& f, const Tensor& x, const Terms& terms) { return f(x, terms); },
          "[B, T, input] -> [B, T, H D]: who may look at whom is the terms' mask.");
  Mechanism<GraphTransformer>(m,
                              "Every node sees every other one (Ying et al. 2021, Dwivedi and "
                              "Bresson 2021).")
      .init<GraphTransformerOptions>()
      .forward("input, graphs", &GraphTransformer::operator(),
               "[B, T, E], what graph_structure() gives; terms as of attend().");
}

}  // namespace

void bind_graphs(py::module_& m) {
  bind_edges(m);
  bind_structure(m);
  bind_graph_layers(m);
}

}  // namespace heed::python
