// The parts of the module, a function each in the file of its name, in the order in which they are
// called:
// a class stands before what speaks of it.
#pragma once

#include "casters.h"

namespace heed::python {

using TensorClass = py::class_<Tensor>;

/// What registering a hook gives: its id, which can remove() it.
class HookHandle : public py::object {
 public:
  explicit HookHandle(py::object object) : py::object(std::move(object)) {}
};
HookHandle hook_handle(const py::object& owner, std::uint64_t id);

void bind_errors(py::module_& m);
TensorClass bind_tensor(py::module_& m);
void bind_indexing(TensorClass& tensor);
void bind_numpy(py::module_& m, TensorClass& tensor);
void bind_dlpack(py::module_& m, TensorClass& tensor);
void bind_factories(py::module_& m, TensorClass& tensor);
void bind_operators(py::module_& m, TensorClass& tensor);
void bind_python_operators(py::module_& m, TensorClass& tensor);
void bind_in_place_operators(TensorClass& tensor);
void bind_shapes(py::module_& m, TensorClass& tensor);
void bind_packed(py::module_& m);
/// heed.nn.utils.rnn
void bind_padding(py::module_& rnn);
void bind_functions(py::module_& functional);
void bind_convolutions(py::module_& functional);
void bind_autograd(py::module_& m, py::module_& autograd);
void bind_gradcheck(py::module_& m, py::module_& nn);
void bind_stochastic(py::module_& m, py::module_& stochastic);
void bind_modules(py::module_& nn);
void bind_layers(py::module_& nn);
void bind_losses(py::module_& nn);
void bind_recurrent(py::module_& nn);
/// What stands beside or in the place of a layer's weight.
void bind_adapted(py::module_& nn);
void bind_beam_search(py::module_& nn);
void bind_init(py::module_& init);
/// Numbers of functions that are called once, for what they do, and heed's functions of them.
void bind_traced(py::module_& root, py::module_& attention);
void bind_score_maps(py::module_& attention);
void bind_attention(py::module_& attention);
void bind_scores(py::module_& attention);
void bind_multi_head(py::module_& attention);
void bind_self_attention(py::module_& attention);
void bind_transformer(py::module_& attention);
void bind_decoders(py::module_& attention);
void bind_mixtures(py::module_& attention);
void bind_pooling(py::module_& attention);
void bind_pairs(py::module_& attention);
void bind_sets(py::module_& attention);
void bind_memories(py::module_& attention);
void bind_machines(py::module_& attention);
void bind_graphs(py::module_& attention);
void bind_hard(py::module_& attention);
void bind_structured(py::module_& attention);
void bind_vision(py::module_& attention);
void bind_pointing(py::module_& attention);
void bind_linear(py::module_& attention);
void bind_optim(py::module_& optim);
void bind_schedules(py::module_& optim);
void bind_io(py::module_& io);
/// PyTorch's other words for what has one already: the last of the module and of its tensors.
void bind_other_words(py::module_& m, TensorClass& tensor);
/// Of all that is bound by now: an object that has not been made is a TypeError wherever it is used.
void refuse_unmade();

/// Around numbers of a Python object that has the buffer protocol, without a copy. Throws
/// DTypeError, ShapeError, ValueError for what cannot be shared.
Tensor from_buffer(const py::object& owner);
/// What a mask is filled with. Throws GradError for one whose gradient would be lost.
Scalar filling(const Tensor& value);
/// Throws GradError, in `op`'s name, where x may not be written to while recording.
void check_written(const char* op, const Tensor& x);
/// Whether every byte of bools is 0 or 1, which is what the library computes with.
bool has_bools(const std::byte* data, const Shape& shape, const Strides& strides);
/// A copy of numbers, a nested list of them, a buffer or a Tensor; of `dtype` where that is given.
Tensor tensor_of(const py::object& data, std::optional<DType> dtype);
/// The only element, an integer to its last digit. Throws ShapeError unless there is exactly one.
inline Scalar scalar_of(const Tensor& x) {
  return x.dtype() == DType::i64 ? Scalar(x.item<Index>()) : Scalar(x.item());
}
/// As kl_div(), which has no batchmean: the sum by the number of rows.
Tensor divergence(const Tensor& input, const Tensor& target, KlReduction reduction,
                  bool log_target);
/// PyTorch's padding_idx, which may count from the end, for the library, where -1 is none. Throws
/// ValueError.
Index padding_of(const char* op, std::optional<Index> padding, Index rows);
/// A state by its names, as a dict of tensors; and back, of what tensor_of() takes.
py::dict dict_of(const io::NamedArrays& entries);
io::NamedArrays arrays_of(const py::dict& dict);

}  // namespace heed::python

template <>
struct pybind11::detail::handle_type_name<heed::python::HookHandle> {
  static constexpr auto name = const_name("heed.autograd.RemovableHandle");
};
