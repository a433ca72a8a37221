// x[1:5:2, ..., 3, None], x[mask], x[[0, 2]]: reading parts and writing them. Whole numbers,
// slices, None and ... give views; masks and indices (tensors, arrays, lists) copies, of as many
// axes as PyTorch's do.
#include "bindings.h"

namespace heed::python {
namespace {

// What stands between the brackets: first the places that make a view, then tensors, each for one
// axis of it.
struct Key {
  std::vector<IndexEntry> entries;
  std::vector<Tensor> places;  // undefined: the whole axis
  bool chooses = false;        // has tensors
};

Slice slice_of(py::handle part) {
  const auto number = [](py::handle bound, Index otherwise) {
    if (bound.is_none()) return otherwise;
    const Py_ssize_t value =
        PyNumber_AsSsize_t(bound.ptr(), nullptr);  // clips as Python's lists do
    if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
    return static_cast<Index>(value);
  };
  return Slice(number(part.attr("start"), 0), number(part.attr("stop"), Slice::kEnd),
               number(part.attr("step"), 1));
}

bool is_bool(py::handle part) {
  return PyBool_Check(part.ptr()) ||
         std::string_view(Py_TYPE(part.ptr())->tp_name).starts_with("numpy.bool");
}

bool is_place(py::handle part) {
  if (is_bool(part) || PyList_Check(part.ptr())) return false;
  if (py::isinstance<Tensor>(part)) {
    const auto& x = part.cast<const Tensor&>();
    return x.rank() == 0 && x.dtype() == DType::i64;
  }
  return PyIndex_Check(part.ptr()) && !PyObject_HasAttrString(part.ptr(), "__len__");
}

Tensor tensor_at(py::handle part) {
  if (py::isinstance<Tensor>(part)) return part.cast<Tensor>();
  if (is_bool(part)) return tensor(PyObject_IsTrue(part.ptr()) == 1);
  return tensor_of(py::reinterpret_borrow<py::object>(part), {});
}

void add(Key& key, py::handle part) {
  if (part.is_none()) {
    key.entries.emplace_back(kNewAxis);
    key.places.emplace_back();
  } else if (PySlice_Check(part.ptr())) {
    key.entries.emplace_back(slice_of(part));
    key.places.emplace_back();
  } else if (is_place(part)) {
    const Py_ssize_t place = PyNumber_AsSsize_t(part.ptr(), PyExc_IndexError);
    if (place == -1 && PyErr_Occurred()) throw py::error_already_set();
    key.entries.emplace_back(static_cast<Index>(place));
  } else {
    Tensor places = tensor_at(part);
    if (places.rank() == 0 && places.dtype() == DType::boolean) {
      // An axis of its own, of one place that is taken or not.
      key.entries.emplace_back(kNewAxis);
      key.places.push_back(zeros(Shape{places.item<bool>() ? 1 : 0}, DType::i64));
      key.chooses = true;
      return;
    }
    if (places.numel() == 0 && places.dtype() == DType::f32)
      places = heed::to(places, DType::i64);  // []
    const Index axes = places.dtype() == DType::boolean ? places.rank() : 1;
    for (Index i = 0; i < axes; ++i) key.entries.emplace_back(Slice());
    key.places.push_back(std::move(places));
    key.chooses = true;
  }
}

Index axes_taken(const Tensor& place) {
  return place.defined() && place.dtype() == DType::boolean ? place.rank() : 1;
}

Key key_of(const Tensor& x, const py::object& brackets) {
  const py::tuple parts = PyTuple_Check(brackets.ptr())
                              ? py::reinterpret_borrow<py::tuple>(brackets)
                              : py::make_tuple(brackets);
  Key key;
  Index open = -1;  // where ... stood among the places
  for (const py::handle part : parts) {
    if (part.ptr() != Py_Ellipsis) {
      add(key, part);
      continue;
    }
    if (open >= 0) throw IndexError("index: only one ... may stand between the brackets");
    key.entries.emplace_back(kEllipsis);
    open = static_cast<Index>(key.places.size());
  }
  if (!key.chooses || open < 0) return key;
  // Whole axes for what ... stands for.
  Index left = x.rank();
  for (const IndexEntry& entry : key.entries) {
    left -= entry.kind == IndexEntry::Kind::place || entry.kind == IndexEntry::Kind::slice ? 1 : 0;
  }
  key.places.insert(key.places.begin() + open, static_cast<std::size_t>(std::max<Index>(left, 0)),
                    Tensor());
  return key;
}

// Axes that have indices first, then the others, so that the library's index() takes them; where
// the indices stood side by side what they give goes back to their place, as in NumPy.
struct Arranged {
  std::vector<Index> order;    // of the axes of the view
  std::vector<Tensor> places;  // defined ones
  Index front = 0;             // axes before the first index, where the result goes back
};

Arranged arrange(const Tensor& view, const Key& key) {
  Arranged out;
  std::vector<Index> rest;
  Index axis = 0, first = -1, last = -1;
  bool together = true;
  for (const Tensor& place : key.places) {
    const Index taken = axes_taken(place);
    for (Index i = 0; i < taken; ++i, ++axis) (place.defined() ? out.order : rest).push_back(axis);
    if (!place.defined()) continue;
    if (first < 0) first = axis - taken;
    if (last >= 0 && last != axis - taken) together = false;
    last = axis;
    out.places.push_back(place);
  }
  for (; axis < view.rank(); ++axis) rest.push_back(axis);
  if (static_cast<Index>(out.order.size() + rest.size()) != view.rank()) {
    throw IndexError("index: more entries than axes for " + describe(view));
  }
  out.front = together ? first : 0;
  out.order.insert(out.order.end(), rest.begin(), rest.end());
  return out;
}

// The order that brings the first `indexed` axes of [S, front.., rest..] behind `front` of the
// others.
std::vector<Index> behind(Index rank, Index indexed, Index front) {
  std::vector<Index> order;
  for (Index i = 0; i < front; ++i) order.push_back(indexed + i);
  for (Index i = 0; i < indexed; ++i) order.push_back(i);
  for (Index i = indexed + front; i < rank; ++i) order.push_back(i);
  return order;
}

Tensor view_of(const Tensor& x, const Key& key) { return index(x, key.entries); }

// Throws for the first index that does not fit, by the axes of the view as they stand in Python.
void check_places(const Tensor& view, const Key& key) {
  Index axis = 0;
  for (const Tensor& place : key.places) {
    const Index first = axis, taken = axes_taken(place);
    axis += taken;
    if (!place.defined()) continue;
    if (place.dtype() == DType::boolean) {
      for (Index i = 0; i < taken; ++i) {
        if (place.size(i) == view.size(first + i)) continue;
        throw ShapeError("index: mask " + describe(place) + " does not fit " +
                         to_string(view.shape()) + " from axis " + std::to_string(first));
      }
    } else if (place.dtype() == DType::i64) {
      const Index size = view.size(first);
      for (const std::int64_t id : place.to_vector<std::int64_t>()) {
        if (id >= -size && id < size) continue;
        throw IndexError("index: index " + std::to_string(id) + " is out of range [" +
                         std::to_string(-size) + ", " + std::to_string(size) + ") of axis " +
                         std::to_string(first));
      }
    }
  }
}

// f(), whose errors are of axes brought to the front: they are said again of the view's own.
template <class F>
Tensor told_by_axis(const Tensor& view, const Key& key, const F& f) {
  try {
    return f();
  } catch (const IndexError&) {
    check_places(view, key);
    throw;
  } catch (const ShapeError&) {
    check_places(view, key);
    throw;
  }
}

Tensor get(const Tensor& x, const py::object& brackets) {
  const Key key = key_of(x, brackets);
  const py::gil_scoped_release free;
  const Tensor view = view_of(x, key);
  if (!key.chooses) return view;
  const Arranged arranged = arrange(view, key);
  const Tensor in_order = permute(view, arranged.order);
  const Tensor found = told_by_axis(view, key, [&] { return index(in_order, arranged.places); });
  if (arranged.front == 0) return found;
  Index taken = 0;
  for (const Tensor& place : arranged.places) taken += axes_taken(place);
  return permute(found, behind(found.rank(), found.rank() - (view.rank() - taken), arranged.front));
}

// What is written may have more axes than its place, of one element each, as in PyTorch.
Tensor without_leading_ones(const Tensor& x) {
  Index ones = 0;
  while (ones < x.rank() && x.size(ones) == 1) ++ones;
  if (ones == 0) return x;
  Shape shape;
  for (Index axis = ones; axis < x.rank(); ++axis) shape.push_back(x.size(axis));
  return reshape(x, shape);
}

void set(const Tensor& x, const py::object& brackets, const py::object& value) {
  const Key key = key_of(x, brackets);
  const bool number = !py::isinstance<Tensor>(value) && !PyObject_CheckBuffer(value.ptr()) &&
                      !PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr());
  const Tensor from =
      py::isinstance<Tensor>(value) ? value.cast<Tensor>() : tensor_of(value, x.dtype());
  const Scalar plain = number ? scalar_of(from) : Scalar(0);
  const py::gil_scoped_release free;
  check_written("__setitem__", x);  // so that the views below are not recorded
  const Tensor view = view_of(x, key);
  if (!key.chooses) {
    number ? fill_(view, plain) : copy_(view, without_leading_ones(from));
    return;
  }
  const Arranged arranged = arrange(view, key);
  const Tensor in_order = permute(view, arranged.order);  // still x's memory
  Tensor values = heed::to(without_leading_ones(from), x.dtype());
  if (arranged.front > 0 && values.rank() > 0) {
    const Tensor found = told_by_axis(view, key, [&] { return index(in_order, arranged.places); });
    Index taken = 0;
    for (const Tensor& place : arranged.places) taken += axes_taken(place);
    const auto back = behind(found.rank(), found.rank() - (view.rank() - taken), arranged.front);
    std::vector<Index> forth(back.size());
    Shape shape = found.shape();
    for (std::size_t i = 0; i < back.size(); ++i) {
      forth[static_cast<std::size_t>(back[i])] = static_cast<Index>(i);
      shape[static_cast<Index>(i)] = found.shape()[back[i]];
    }
    values = permute(broadcast_to(values, shape), forth);
  }
  const Tensor put =
      told_by_axis(view, key, [&] { return index_put(in_order, arranged.places, values); });
  copy_(in_order, put);
}

}  // namespace

Scalar filling(const Tensor& value) {
  if (recording() && value.requires_grad()) {
    throw GradError(
        "masked_fill: the value requires a gradient, which where(mask, value, x) gives it");
  }
  return scalar_of(value);
}

void check_written(const char* op, const Tensor& x) {
  if (!recording() || !x.requires_grad()) return;
  throw GradError(std::string(op) + ": " + describe(x) +
                  (x.is_leaf() ? " is a leaf that requires a gradient"
                               : " is the result of a recorded operator") +
                  "; write under no_grad() or into a detached tensor");
}

void bind_indexing(TensorClass& tensor) {
  tensor.def("__getitem__", &get, py::arg("key"))
      .def("__setitem__", &set, py::arg("key"), py::arg("value"))
      .def("__len__",
           [](const Tensor& x) {
             if (x.rank() == 0) throw py::type_error("len() of a tensor without axes");
             return x.size(0);
           })
      .def("__iter__", [](const Tensor& x) {
        if (x.rank() == 0) throw py::type_error("iteration over a tensor without axes");
        return py::iter(py::cast(unbind(x, 0)));
      });
}

}  // namespace heed::python
