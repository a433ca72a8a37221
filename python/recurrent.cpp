// Recurrent layers and cells of heed.nn, batch first, of padded batches with their lengths and of
// packed ones; and the initialisers of heed.nn.init.
#include "modules.h"

namespace heed::python {
namespace {

using namespace heed::nn;
using Steps = std::optional<std::vector<Index>>;  // none: all steps

// PyTorch's argument, of which there is one value here.
void check_batch_first(const char* who, bool batch_first) {
  if (!batch_first) {
    throw ValueError(std::string(who) + ": batch first always: give x [B, T, input_size]");
  }
}

std::vector<Index> of_all(const Steps& lengths) { return lengths.value_or(std::vector<Index>()); }

template <class T, class Options, class Result, class OfPacked>
ModuleClass<T> layer(py::module_& m, const char* name, const char* what, Result result,
                     OfPacked of_packed) {
  ModuleClass<T> c(m, name, what);
  c.def(py::init([name](Index input, Index hidden, Index layers, bool bias, bool batch_first,
                        double dropout, bool bidirectional, DType dtype) {
          check_batch_first(name, batch_first);
          return std::make_shared<T>(Options{.input = input,
                                             .hidden = hidden,
                                             .layers = layers,
                                             .bidirectional = bidirectional,
                                             .bias = bias,
                                             .dropout = dropout,
                                             .dtype = dtype});
        }),
        py::arg("input_size"), py::arg("hidden_size"), py::arg("num_layers") = 1,
        py::arg("bias") = true, py::arg("batch_first").noconvert() = true, py::arg("dropout") = 0,
        py::arg("bidirectional") = false, py::kw_only(), py::arg("dtype") = DType::f32);
  c.def_property_readonly("input_size", [](const T& f) { return f.options().input; })
      .def_property_readonly("hidden_size", [](const T& f) { return f.options().hidden; })
      .def_property_readonly("num_layers", [](const T& f) { return f.options().layers; })
      .def_property_readonly("bidirectional", [](const T& f) { return f.options().bidirectional; });
  c.def("forward", result, Free(), py::arg("input").none(false), py::arg("hx") = py::none(),
        py::kw_only(), py::arg("lengths") = py::none());
  c.def("forward", of_packed, Free(), py::arg("input").none(false), py::arg("hx") = py::none());
  return c;
}

template <class T>
auto of_state(const T& f, const Tensor& x, const Tensor& h0, const Steps& lengths) {
  const RnnResult out = f(x, of_all(lengths), h0);
  return std::pair(out.output, out.h_n);
}
template <class T>
auto of_packed(const T& f, const Packed& x, const Tensor& h0) {
  const RnnResult out = f(x, h0);
  return std::pair(Packed{out.output, x.offsets}, out.h_n);
}

using State = std::pair<Tensor, Tensor>;

template <class T>
void bind_cell(ModuleClass<T>& c) {
  c.HEED_TENSOR(T, weight_ih)
      .HEED_TENSOR(T, weight_hh)
      .HEED_TENSOR(T, bias_ih)
      .HEED_TENSOR(T, bias_hh);
}

void bind_cells(py::module_& m) {
  ModuleClass<RNNCell> rnn(m, "RNNCell");
  rnn.def(py::init<Index, Index, bool, Nonlinearity, DType>(), py::arg("input_size"),
          py::arg("hidden_size"), py::arg("bias") = true,
          py::arg("nonlinearity") = Nonlinearity::tanh, py::kw_only(),
          py::arg("dtype") = DType::f32)
      .def(
          "forward", [](const RNNCell& f, const Tensor& x, const Tensor& h) { return f(x, h); },
          Free(), py::arg("input"), py::arg("hx") = Tensor());
  bind_cell(rnn);
  ModuleClass<GRUCell> gru(m, "GRUCell");
  gru.def(py::init<Index, Index, bool, DType>(), py::arg("input_size"), py::arg("hidden_size"),
          py::arg("bias") = true, py::kw_only(), py::arg("dtype") = DType::f32)
      .def(
          "forward", [](const GRUCell& f, const Tensor& x, const Tensor& h) { return f(x, h); },
          Free(), py::arg("input"), py::arg("hx") = Tensor());
  bind_cell(gru);
  ModuleClass<LSTMCell> lstm(m, "LSTMCell");
  lstm.def(py::init<Index, Index, bool, DType>(), py::arg("input_size"), py::arg("hidden_size"),
           py::arg("bias") = true, py::kw_only(), py::arg("dtype") = DType::f32)
      .def(
          "forward",
          [](const LSTMCell& f, const Tensor& x, const LstmState& hx) {
            const LstmState out = f(x, hx);
            return State(out.h, out.c);
          },
          Free(), py::arg("input").none(false), py::arg("hx") = py::none());
  bind_cell(lstm);
}

void bind_pyramid(py::module_& m) {
  ModuleClass<PyramidalLSTM>(
      m, "PyramidalLSTM",
      "Each level reads two steps of the one below, the first `first` of them, and is half as long "
      "(Chan et al. 2016): x [B, T, input_size] -> (output [B, ceil(T / 2^levels), 2 hidden_size], "
      "lengths).")
      .def(py::init([](Index input, Index hidden, Index levels, Index first, bool bottom,
                       double dropout, DType dtype) {
             return std::make_shared<PyramidalLSTM>(PyramidalLSTMOptions{.input = input,
                                                                         .hidden = hidden,
                                                                         .levels = levels,
                                                                         .first = first,
                                                                         .bottom = bottom,
                                                                         .dropout = dropout,
                                                                         .dtype = dtype});
           }),
           py::arg("input_size"), py::arg("hidden_size"), py::arg("levels") = 3,
           py::arg("first") = 2, py::arg("bottom") = true, py::arg("dropout") = 0, py::kw_only(),
           py::arg("dtype") = DType::f32)
      .def(
          "forward",
          [](const PyramidalLSTM& f, const Tensor& x, const Steps& lengths) {
            PyramidOutput out = f(x, of_all(lengths));
            return std::pair(std::move(out.output), std::move(out.lengths));
          },
          Free(), py::arg("input"), py::arg("lengths") = py::none())
      .HEED_CHILDREN(PyramidalLSTM, layers);
}

}  // namespace

void bind_recurrent(py::module_& m) {
  constexpr const char* what =
      "x [B, T, input_size] -> (output [B, T, D hidden_size], h_n [D layers, B, hidden_size]). "
      "`lengths`: one in "
      "[0, T] a row; past it the output is 0 and x is not read. A heed.Packed gives a Packed.";
  layer<GRU, GRUOptions>(m, "GRU", what, &of_state<GRU>, &of_packed<GRU>);
  ModuleClass<RNN>(m, "RNN", what)
      .def(
          py::init([](Index input, Index hidden, Index layers, Nonlinearity nonlinearity, bool bias,
                      bool batch_first, double dropout, bool bidirectional, DType dtype) {
            check_batch_first("RNN", batch_first);
            return std::make_shared<RNN>(RNNOptions{.input = input,
                                                    .hidden = hidden,
                                                    .layers = layers,
                                                    .nonlinearity = nonlinearity,
                                                    .bidirectional = bidirectional,
                                                    .bias = bias,
                                                    .dropout = dropout,
                                                    .dtype = dtype});
          }),
          py::arg("input_size"), py::arg("hidden_size"), py::arg("num_layers") = 1,
          py::arg("nonlinearity") = Nonlinearity::tanh, py::arg("bias") = true,
          py::arg("batch_first").noconvert() = true, py::arg("dropout") = 0,
          py::arg("bidirectional") = false, py::kw_only(), py::arg("dtype") = DType::f32)
      .def_property_readonly("input_size", [](const RNN& f) { return f.options().input; })
      .def_property_readonly("hidden_size", [](const RNN& f) { return f.options().hidden; })
      .def_property_readonly("num_layers", [](const RNN& f) { return f.options().layers; })
      .def_property_readonly("bidirectional",
                             [](const RNN& f) { return f.options().bidirectional; })
      .def("forward", &of_state<RNN>, Free(), py::arg("input"), py::arg("hx") = Tensor(),
           py::kw_only(), py::arg("lengths") = py::none())
      .def("forward", &of_packed<RNN>, Free(), py::arg("input"), py::arg("hx") = Tensor());
  layer<LSTM, LSTMOptions>(
      m, "LSTM", "As GRU, but the state is a pair: x -> (output, (h_n, c_n)).",
      [](const LSTM& f, const Tensor& x, const LstmState& start, const Steps& lengths) {
        const LstmResult out = f(x, of_all(lengths), start);
        return std::pair(out.output, State(out.h_n, out.c_n));
      },
      [](const LSTM& f, const Packed& x, const LstmState& start) {
        const LstmResult out = f(x, start);
        return std::pair(Packed{out.output, x.offsets}, State(out.h_n, out.c_n));
      });
  bind_cells(m);
  bind_pyramid(m);
}

namespace {

// f writes into its first argument, which is given back: the same object of Python.
template <class... Args, class... Extra>
void writing(py::module_& init, const char* name, void (*f)(const Tensor&, Args...),
             const Extra&... extra) {
  init.def(
      name,
      [f](const TensorObject& x, Args... args) {
        const Tensor& tensor = x.tensor();
        const py::gil_scoped_release free;
        f(tensor, args...);
        return x;
      },
      py::arg("tensor"), extra...);
}

}  // namespace

void bind_init(py::module_& init) {
  writing(
      init, "uniform_",
      +[](const Tensor& x, double low, double high) { nn::uniform_(x, low, high); },
      py::arg("a") = 0, py::arg("b") = 1);
  writing(
      init, "normal_", +[](const Tensor& x, double mean, double std) { nn::normal_(x, mean, std); },
      py::arg("mean") = 0, py::arg("std") = 1);
  writing(
      init, "constant_", +[](const Tensor& x, double value) { nn::constant_(x, value); },
      py::arg("val"));
  writing(
      init, "zeros_", +[](const Tensor& x) { nn::zeros_(x); });
  writing(
      init, "ones_", +[](const Tensor& x) { nn::ones_(x); });
  using Gained = void (*)(const Tensor&, double);
  const std::pair<const char*, Gained> gained[] = {
      {"xavier_uniform_", [](const Tensor& x, double gain) { nn::xavier_uniform_(x, gain); }},
      {"xavier_normal_", [](const Tensor& x, double gain) { nn::xavier_normal_(x, gain); }},
      {"orthogonal_", [](const Tensor& x, double gain) { nn::orthogonal_(x, gain); }}};
  for (const auto& [name, f] : gained) writing(init, name, f, py::arg("gain") = 1);
  using Fanned = void (*)(const Tensor&, double, nn::Fan);
  const std::pair<const char*, Fanned> fanned[] = {
      {"kaiming_uniform_",
       [](const Tensor& x, double a, nn::Fan mode) { nn::kaiming_uniform_(x, a, mode); }},
      {"kaiming_normal_",
       [](const Tensor& x, double a, nn::Fan mode) { nn::kaiming_normal_(x, a, mode); }}};
  for (const auto& [name, f] : fanned) {
    writing(init, name, f, py::arg("a") = 0, py::arg("mode") = nn::Fan::in);
  }
}

}  // namespace heed::python
