// Packed batches: heed.Packed, what makes and reads it, and PyTorch's words for the same,
// heed.nn.utils.rnn.
#include "bindings.h"

namespace heed::python {
namespace {

using Lengths = std::vector<Index>;

Packed checked_packed(const Tensor& tokens, const Lengths& offsets) {
  check_offsets("Packed", offsets, tokens);
  return {tokens, offsets};
}

Tensor tokens_of(const Packed& packed, Index b) {
  if (b < 0) b += packed.sequences();
  const Index length = packed.length(b);
  return narrow(packed.tokens, 0, packed.offsets[static_cast<std::size_t>(b)], length);
}

void bind_class(py::module_& m) {
  py::class_<Packed>(m, "Packed",
                     "Sequences of different lengths, one behind the other: tokens [N, ..], of "
                     "which sequence b has those from offsets[b] to offsets[b + 1] - 1; packed[b] "
                     "is them.")
      .def(py::init(&checked_packed), py::arg("tokens"), py::arg("offsets"))
      .def_readonly("tokens", &Packed::tokens)
      .def_readonly("offsets", &Packed::offsets)
      .def("lengths", &Packed::lengths, "Of all sequences.")
      .def("places", &Packed::places, "Where each token stands in its sequence.")
      .def("__len__", &Packed::sequences)
      .def("__getitem__", &tokens_of, Free(), py::arg("sequence"))
      .def("__repr__", [](const Packed& packed) {
        return "Packed(" + describe(packed.tokens) + ", lengths " +
               std::string(py::repr(py::cast(packed.lengths()))) + ")";
      });
}

void bind_functions_of_packed(py::module_& m) {
  m.def("pack", py::overload_cast<const Tensor&, const Lengths&>(&pack), Free(), py::arg("input"),
        py::arg("lengths") = Lengths(),
        "Of a padded batch [B, T, ..] the first lengths[b] steps of each row; no lengths: all.");
  m.def("pack", py::overload_cast<const std::vector<Lengths>&>(&pack), py::arg("rows"),
        "Rows of whole numbers.");
  m.def("unpack", &unpack, Free(), py::arg("packed"), py::arg("steps") = -1,
        "[B, steps, ..], zeros behind each sequence's end; -1: as many as the longest has.");
  m.def("offsets_of", &offsets_of, py::arg("lengths"), "[0, l_0, l_0 + l_1, ..].");
  m.def("segment_sum", &segment_sum, Free(), py::arg("packed"), "Of each sequence, [B, ..].");
  m.def("segment_mean", &segment_mean, Free(), py::arg("packed"), "Of each sequence, [B, ..].");
  m.def("segment_max", &segment_max, Free(), py::arg("packed"),
        "Of each sequence, feature by feature, [B, ..].");
  m.def("segment_softmax", &segment_softmax, Free(), py::arg("packed"),
        "Over the tokens of each sequence, [N, ..].");
  m.def("repeat_segments", &repeat_segments, Free(), py::arg("input"), py::arg("offsets"),
        "[B, ..] -> [N, ..]: row b at each token of sequence b.");
}

Lengths numbers(const std::variant<Lengths, Tensor>& given) {
  if (const auto* const listed = std::get_if<Lengths>(&given)) return *listed;
  return std::get<Tensor>(given).to_vector<Index>();
}

// Batch first.
Tensor turned(const Tensor& x, bool batch_first) { return batch_first ? x : transpose(x, 0, 1); }

Packed pack_padded(const Tensor& x, const std::variant<Lengths, Tensor>& given, bool batch_first,
                   bool enforce_sorted) {
  const Lengths lengths = numbers(given);
  if (enforce_sorted && !std::is_sorted(lengths.rbegin(), lengths.rend())) {
    throw ValueError(
        "pack_padded_sequence: lengths rise; enforce_sorted=False takes them in any order");
  }
  return pack(turned(x, batch_first), lengths);
}

std::pair<Tensor, Tensor> pad_packed(const Packed& packed, bool batch_first, double padding,
                                     std::optional<Index> steps) {
  Tensor out = unpack(packed, steps.value_or(-1));
  const Tensor lengths(Array::from(packed.lengths()));
  if (padding != 0) {
    Shape real = Shape::filled(out.rank(), 1);
    real[0] = out.size(0);
    const Tensor steps_of = reshape(lengths, real);
    real[0] = 1;
    real[1] = out.size(1);
    out = where(reshape(arange(out.size(1)), real) < steps_of, out,
                tensor(padding, widened(out.dtype())));
  }
  return {turned(out, batch_first), lengths};
}

Packed pack_listed(const std::vector<Tensor>& sequences, bool enforce_sorted) {
  Lengths lengths;
  for (const Tensor& sequence : sequences) {
    if (!sequence.defined() || sequence.rank() == 0) {
      throw ShapeError("pack_sequence: a sequence must be [T, ..], not " + describe(sequence));
    }
    lengths.push_back(sequence.size(0));
  }
  if (enforce_sorted && !std::is_sorted(lengths.rbegin(), lengths.rend())) {
    throw ValueError("pack_sequence: lengths rise; enforce_sorted=False takes them in any order");
  }
  return {concat(sequences, 0), offsets_of(lengths)};
}

std::vector<Tensor> listed(const Packed& packed) {
  std::vector<Tensor> out;
  for (Index b = 0; b < packed.sequences(); ++b) out.push_back(tokens_of(packed, b));
  return out;
}

}  // namespace

void bind_packed(py::module_& m) {
  bind_class(m);
  bind_functions_of_packed(m);
}

void bind_padding(py::module_& rnn) {
  rnn.def("pack_padded_sequence", &pack_padded, Free(), py::arg("input"), py::arg("lengths"),
          py::arg("batch_first") = true, py::arg("enforce_sorted") = false,
          "heed.pack(): sequences stay in their order, whatever their lengths.");
  rnn.def("pad_packed_sequence", &pad_packed, Free(), py::arg("sequence"),
          py::arg("batch_first") = true, py::arg("padding_value") = 0.0,
          py::arg("total_length") = py::none(),
          "heed.unpack(), [B, T, ..], and the lengths, i64 [B].");
  rnn.def("pack_sequence", &pack_listed, Free(), py::arg("sequences"),
          py::arg("enforce_sorted") = false, "Of tensors [T, ..], one a sequence.");
  rnn.def("unpack_sequence", &listed, Free(), py::arg("packed_sequences"),
          "A list of tensors [T, ..].");
  rnn.def(
      "pad_sequence",
      [](const std::vector<Tensor>& sequences, bool batch_first, double padding) {
        return pad_packed(pack_listed(sequences, false), batch_first, padding, {}).first;
      },
      Free(), py::arg("sequences"), py::arg("batch_first") = true, py::arg("padding_value") = 0.0,
      "Tensors [T, ..] -> [B, longest, ..].");
  rnn.def(
      "unpad_sequence",
      [](const Tensor& x, const std::variant<Lengths, Tensor>& lengths, bool batch_first) {
        return listed(pack(turned(x, batch_first), numbers(lengths)));
      },
      Free(), py::arg("padded_sequences"), py::arg("lengths"), py::arg("batch_first") = true,
      "[B, T, ..] -> a list of tensors [T, ..].");
}

}  // namespace heed::python
