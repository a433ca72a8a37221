// Which nodes lead to what grad() is asked for: it walks no others. Internal to the engine.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "node.h"

namespace heed::detail {

class Leading {
 public:
  /// The gradient of `input`, a leaf or a result, is asked for; before the first look().
  void ask(const Tensor& input);
  /// Finds out about the node that `edge` goes to and all behind it. Gives those that are new.
  std::vector<const TapeNode*> look(const Edge& edge);
  /// A node that look() gave goes away.
  void forget(const TapeNode* node) { seen_.erase(node); }
  /// Whether a gradient is asked for where `edge` goes, or behind that. Of what look() has seen.
  bool leads(const Edge& edge) const;
  /// Whether one is asked for behind `node`, or may be where a checkpoint leads: else there is
  /// nothing to differentiate it for.
  bool goes_on(const TapeNode& node) const;

 private:
  std::unordered_set<const void*> asked_;  // nodes and leaves
  std::uint64_t oldest_ = UINT64_MAX;      // of these nodes; 0 where there are leaves
  std::unordered_map<const TapeNode*, bool> seen_;
};

}  // namespace heed::detail
