#include "node.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/loan.h"
#include "grad_mode.h"

namespace heed {
namespace {

constinit thread_local std::uint64_t t_next_order = 1;
constinit thread_local TapeNode* t_dying = nullptr;
constinit thread_local bool t_draining = false;

}  // namespace

Edge Edge::to(const Tensor& input) {
  Edge edge;
  if (!input.defined()) return edge;
  if (input.node()) {
    edge.node = input.node();
    edge.output = input.output();
  } else if (input.impl()->requires_grad) {
    edge.leaf = Ref<TensorImpl>::share(input.impl());
  }
  return edge;
}

TapeNode::TapeNode(Label label, Edge* edges, std::size_t edge_count, OutputSlot* outputs,
           std::uint32_t output_count)
    : edges_(edges),
      outputs_(outputs),
      edge_count_(static_cast<std::uint32_t>(edge_count)),
      output_count_(output_count),
      label_(label) {}

TapeNode::~TapeNode() = default;

void TapeNode::take_order() {
  // Inputs may have been made on other threads, whose counters run on their own.
  order_ = t_next_order;
  for (std::size_t i = 0; i < edge_count_; ++i) {
    if (edges_[i].node) order_ = std::max(order_, edges_[i].node->order_ + 1);
  }
  t_next_order = order_ + 1;
}

void detail::continue_order_after(std::uint64_t order) {
  t_next_order = std::max(t_next_order, order + 1);
}

void TapeNode::destroy(TapeNode* node) noexcept {
  node->next_dying_ = t_dying;
  t_dying = node;
  if (t_draining) return;
  t_draining = true;
  while (t_dying) {
    TapeNode* dying = t_dying;
    t_dying = dying->next_dying_;
    const std::size_t bytes = dying->size();
    dying->~TapeNode();
    free_block(dying, bytes, BlockKind::node);
  }
  t_draining = false;
}

bool Saved::expendable() const {
  return !detail::t_retains && tensor_.defined() && tensor_.impl()->unique() &&
         tensor_.array().unique();
}

void Seal::look_at(const Array& array, std::uint32_t replaced) {
  if (array.storage()->lent()) Loan::notice_writes(*array.storage());
  version_ = array.version() + replaced;
  hash_ = fingerprint(array);
}

// What was kept before it was lent out has no hash of its own: the loan has.
bool Seal::still_holds(const Array& array, std::uint32_t replaced) const {
  if (array.storage() && array.storage()->lent()) Loan::notice_writes(*array.storage());
  return array.version() + replaced == version_ && (hash_ == 0 || fingerprint(array) == hash_);
}

std::string Seal::broken(const Array& array, std::uint32_t replaced) const {
  if (array.version() + replaced == version_) {
    return "it was written to since by another that shares its memory";
  }
  if (replaced != 0) return "it was written in place since, or given other numbers by set_array()";
  return fmt::format("it was written in place since (version {}, kept at {})", array.version(),
                     version_);
}

void Saved::throw_stale() const {
  const char* keeper = detail::t_current ? detail::t_current->name() : "an operator";
  throw GradError(fmt::format("backward: {} kept its input {} for the derivative, but {}", keeper,
                              describe(tensor_),
                              seal_.broken(tensor_.array(), tensor_.impl()->replaced)));
}

const Array& SavedOutput::array() const {
  if (!seal_.holds(array_)) {
    const char* keeper = detail::t_current ? detail::t_current->name() : "an operator";
    throw GradError(fmt::format("backward: {} kept its result {} for the derivative, but {}",
                                keeper, describe(array_), seal_.broken(array_)));
  }
  return array_;
}

Tensor SavedOutput::operator()() const {
  const Array& numbers = array();
  if (!recording() || !detail::t_current) return Tensor(numbers);
  return Tensor::on_tape(numbers, Ref<TapeNode>::share(detail::t_current), output_);
}

}  // namespace heed
