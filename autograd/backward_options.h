// How a backward pass goes.
#pragma once

namespace heed {

/// retain_graph: what was saved stays for another pass. create_graph: the pass is recorded itself,
/// so that its results can be differentiated; implies retain_graph.
struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
};

}  // namespace heed
