#include "accumulate.h"

#include "../core/kernels/elementwise/elementwise.h"
#include "../core/process_lock.h"
#include "grad_mode.h"
#include "ops/elementwise/elementwise.h"
#include "ops/shape/shape.h"

namespace heed {
namespace {

// Nobody else sees these numbers: they may be added to in place.
bool owned(const Tensor& tensor) {
  return !tensor.is_sparse() && tensor.impl()->unique() && tensor.array().unique() &&
         tensor.array().is_contiguous();
}

}  // namespace

void accumulate(Tensor& into, Tensor gradient) {
  if (!into.defined()) {
    into = std::move(gradient);
    return;
  }
  if (recording()) {
    into = into + gradient;
    return;
  }
  if (into.is_sparse() && gradient.is_sparse()) {
    into = Tensor(into.sparse_rows() + gradient.sparse_rows());
    return;
  }
  if (into.is_sparse()) std::swap(into, gradient);
  if (gradient.is_sparse()) {
    Array sum = owned(into) ? into.array() : into.array().clone();
    gradient.sparse_rows().add_into(sum);
    into = Tensor(std::move(sum));
  } else if (owned(into)) {
    kernels::add_into(into.impl()->array, gradient.array());
  } else if (owned(gradient) && into.shape() == gradient.shape()) {
    kernels::add_into(gradient.impl()->array, into.array());
    into = std::move(gradient);
  } else {
    into = Tensor(kernels::binary(kernels::Binary::add, into.array(), gradient.array()));
  }
}

std::recursive_mutex& grad_mutex() { return gradients_lock(); }

void add_to_grad(TensorImpl& impl, Tensor gradient) {
  // What goes is let go of after the lock: whose memory it is may wait for a lock of his own, as
  // Python's, which may be held by who waits for this one.
  Tensor given, before;
  const std::lock_guard lock(grad_mutex());
  if (!owned(gradient)) given = gradient;
  if (impl.grad.defined() && (recording() || !owned(impl.grad))) before = impl.grad;
  // The first gradient is kept as it is only where nobody else could write into it.
  if (!impl.grad.defined() && !gradient.is_sparse() && !owned(gradient)) {
    gradient = recording() ? clone(gradient) : Tensor(gradient.array().clone());
  }
  accumulate(impl.grad, std::move(gradient));
}

}  // namespace heed
