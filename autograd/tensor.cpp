#include "tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ostream>

#include "../core/error.h"
#include "../core/kernels/elementwise/copy.h"
#include "../core/print.h"
#include "accumulate.h"
#include "backward.h"
#include "check_defined.h"
#include "grad_mode.h"
#include "node.h"

namespace heed {

TensorImpl::TensorImpl(Array numbers) : array(std::move(numbers)) {}
TensorImpl::~TensorImpl() {
  if (!retains_grad) return;
  const std::lock_guard lock(grad_mutex());  // a pass may be about to add to grad
  std::atomic_ref(node->output(output).retained) = nullptr;
}

void TensorImpl::replace(Array numbers) {
  const std::uint32_t next = array.version() + replaced + 1;
  array = std::move(numbers);
  replaced = next - array.version();
}

Ref<TensorImpl> TensorImpl::make(Array array) {
  void* block = allocate_block(sizeof(TensorImpl), BlockKind::tensor);
  return Ref<TensorImpl>::adopt(::new (block) TensorImpl(std::move(array)));
}

void TensorImpl::destroy(TensorImpl* impl) noexcept {
  impl->~TensorImpl();
  free_block(impl, sizeof(TensorImpl), BlockKind::tensor);
}

Tensor::Tensor(Array array) : impl_(TensorImpl::make(std::move(array))) {
  if (observed()) [[unlikely]]
    detail::tell_wrapped();
}

Tensor::Tensor(SparseRows rows) : impl_(TensorImpl::make(Array())) {
  impl_->rows_shape = std::make_unique<Shape>(rows.shape);
  impl_->sparse = std::make_unique<SparseRows>(std::move(rows));
}

Tensor Tensor::on_tape(Array array, Ref<TapeNode> node, std::uint32_t output) {
  Tensor out(std::move(array));
  out.impl_->node = std::move(node);
  out.impl_->output = output;
  return out;
}

TensorImpl& Tensor::checked() const {
  if (!impl_) throw GradError("tensor: it is undefined");
  return *impl_;
}

const Array& Tensor::array() const {
  TensorImpl& impl = checked();
  if (impl.sparse && !impl.array.defined()) {
    impl.array = impl.sparse->to_dense();
    impl.sparse.reset();
  }
  return impl.array;
}

const Shape& Tensor::shape() const {
  const TensorImpl& impl = checked();
  return impl.sparse ? *impl.rows_shape : impl.array.shape();
}

DType Tensor::dtype() const {
  const TensorImpl& impl = checked();
  return impl.sparse ? impl.sparse->dtype() : impl.array.dtype();
}

bool Tensor::requires_grad() const { return impl_ && (impl_->requires_grad || impl_->node); }
bool Tensor::is_leaf() const { return !checked().node; }
const Ref<TapeNode>& Tensor::node() const { return checked().node; }
std::uint32_t Tensor::output() const { return checked().output; }

Tensor& Tensor::set_requires_grad(bool on) {
  TensorImpl& impl = checked();
  if (impl.node) {
    throw GradError(fmt::format("set_requires_grad: {} is the result of {}, not a leaf",
                                describe(*this), impl.node->name()));
  }
  if (on) check_floating("set_requires_grad", dtype());
  impl.requires_grad = on;
  return *this;
}

// A handle of the same leaf, so that a const one will do.
Tensor Tensor::requires_grad(bool on) const { return Tensor(*this).set_requires_grad(on); }

Tensor Tensor::grad() const { return checked().grad; }
void Tensor::zero_grad() { checked().grad = Tensor(); }

void Tensor::set_grad(const Tensor& gradient) {
  if (gradient.defined()) {
    if (!(gradient.shape() == shape())) {
      throw ShapeError(
          fmt::format("set_grad: {} for a tensor of {}", describe(gradient), describe(*this)));
    }
    if (gradient.dtype() != dtype()) {
      throw DTypeError(
          fmt::format("set_grad: {} for a tensor of {}", describe(gradient), describe(*this)));
    }
  }
  checked().grad = gradient;
}

void Tensor::backward(const Tensor& gradient, const BackwardOptions& options) const {
  heed::backward({*this}, {gradient}, options);
}

HookId Tensor::register_hook(Hook hook) const {
  static std::atomic<HookId> next{1};
  if (!requires_grad()) {
    throw GradError(fmt::format("register_hook: {} does not require a gradient", describe(*this)));
  }
  if (!hook) throw ValueError("register_hook: the hook is empty");
  const HookId id = next++;
  auto& hooks = impl_->node ? impl_->node->output(impl_->output).hooks : impl_->hooks;
  if (!hooks) hooks = std::make_unique<Hooks>();
  hooks->emplace_back(id, std::move(hook));
  return id;
}

void Tensor::remove_hook(HookId id) const {
  TensorImpl& impl = checked();
  auto& hooks = impl.node ? impl.node->output(impl.output).hooks : impl.hooks;
  if (hooks) std::erase_if(*hooks, [id](const auto& entry) { return entry.first == id; });
}

void Tensor::retain_grad() const {
  if (!requires_grad()) {
    throw GradError(fmt::format("retain_grad: {} does not require a gradient", describe(*this)));
  }
  if (!impl_->node || impl_->retains_grad) return;
  const std::lock_guard lock(grad_mutex());
  OutputSlot& slot = impl_->node->output(impl_->output);
  if (slot.retained) slot.retained->retains_grad = false;
  std::atomic_ref(slot.retained) = impl_.get();
  impl_->retains_grad = true;
}

bool Tensor::retains_grad() const { return impl_ && impl_->retains_grad; }

Tensor Tensor::detach() const {
  check_defined("detach", *this, "the tensor");
  return Tensor(array());
}

bool Tensor::is_sparse() const { return impl_ && impl_->sparse; }

const SparseRows& Tensor::sparse_rows() const {
  const TensorImpl& impl = checked();
  if (!impl.sparse) throw GradError(fmt::format("sparse_rows: {} is dense", describe(*this)));
  return *impl.sparse;
}

void Tensor::set_array(Array array) {
  TensorImpl& impl = checked();
  if (impl.node) {
    throw GradError(fmt::format("set_array: {} is the result of {}, not a leaf", describe(*this),
                                impl.node->name()));
  }
  if (impl.requires_grad) check_floating("set_array", array.dtype());
  impl.replace(std::move(array));
  impl.sparse.reset();
  impl.grad = Tensor();
}

void Tensor::copy_from(const Tensor& from) {
  check_defined("copy_from", *this, "the tensor", from, "from");
  TensorImpl& impl = checked();
  if (impl.node || (impl.requires_grad && recording())) {
    throw GradError(fmt::format(
        "copy_from: {} {}; write under NoGrad or into a detached tensor", describe(*this),
        impl.node ? "is the result of a recorded operator" : "is a leaf that requires a gradient"));
  }
  array();
  const bool overlap = from.array().shares_storage(impl.array);
  kernels::copy_into(impl.array, overlap ? from.array().clone() : from.array());
  impl.array.bump_version();
}

std::string describe(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  return name(tensor.dtype()) + to_string(tensor.shape());
}

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::vector<std::string> notes;
  if (!tensor.is_leaf()) {
    notes.push_back(fmt::format("grad_fn=<{}>", tensor.node()->name()));
  } else if (tensor.requires_grad()) {
    notes.emplace_back("requires_grad=True");
  }
  // Reading the array of a sparse gradient would make it dense.
  const Array numbers = tensor.is_sparse() ? tensor.sparse_rows().to_dense() : tensor.array();
  return detail::printed("tensor", numbers, notes);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace heed
