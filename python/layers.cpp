// The layers of heed.nn, with PyTorch's names for what they are made of.
#include "modules.h"

namespace heed::python {
namespace {

using namespace heed::nn;

// A layer of one tensor.
template <class T>
ModuleClass<T> layer(py::module_& m, const char* name, const char* what = "") {
  ModuleClass<T> c(m, name, what);
  c.def(
      "forward", [](const T& layer, const Tensor& x) { return layer(x); }, Free(),
      py::arg("input").none(false));
  return c;
}

#define HEED_DTYPE py::kw_only(), py::arg("dtype") = DType::f32

void bind_dense(py::module_& m) {
  layer<Linear>(m, "Linear", "y = x W^T + b. x [.., in] -> [.., out].")
      .def(py::init<Index, Index, bool, DType>(), py::arg("in_features"), py::arg("out_features"),
           py::arg("bias") = true, HEED_DTYPE)
      .def_property_readonly("in_features", [](const Linear& f) { return f.weight.size(1); })
      .def_property_readonly("out_features", [](const Linear& f) { return f.weight.size(0); })
      .HEED_TENSOR(Linear, weight)
      .HEED_TENSOR(Linear, bias);
  ModuleClass<Bilinear>(m, "Bilinear")
      .def(py::init<Index, Index, Index, bool, DType>(), py::arg("in1_features"),
           py::arg("in2_features"), py::arg("out_features"), py::arg("bias") = true, HEED_DTYPE)
      .def(
          "forward", [](const Bilinear& f, const Tensor& x, const Tensor& y) { return f(x, y); },
          Free(), py::arg("input1"), py::arg("input2"))
      .HEED_TENSOR(Bilinear, weight)
      .HEED_TENSOR(Bilinear, bias);
  layer<Embedding>(
      m, "Embedding",
      "Rows of a table: ids i64 [..] -> [.., width]. Gradients hold only the rows used.")
      .def(py::init([](Index count, Index width, std::optional<Index> padding, bool sparse,
                       DType dtype) {
             return std::make_shared<Embedding>(
                 EmbeddingOptions{.count = count,
                                  .width = width,
                                  .padding = padding_of("Embedding", padding, count),
                                  .sparse = sparse,
                                  .dtype = dtype});
           }),
           py::arg("num_embeddings"), py::arg("embedding_dim"), py::arg("padding_idx") = py::none(),
           py::kw_only(), py::arg("sparse") = true, py::arg("dtype") = DType::f32)
      .def_property_readonly("num_embeddings", [](const Embedding& f) { return f.weight.size(0); })
      .def_property_readonly("embedding_dim", [](const Embedding& f) { return f.weight.size(1); })
      .HEED_TENSOR(Embedding, weight)
      .def("scores", &Embedding::scores, Free(), py::arg("input"),
           "x W^T: the table as an output layer.");
  layer<Maxout>(m, "Maxout")
      .def(py::init<Index, Index, Index, DType>(), py::arg("in_features"), py::arg("out_features"),
           py::arg("pieces") = 2, HEED_DTYPE)
      .HEED_CHILD(Maxout, linear);
}

template <class T, class Options, class Size>
void bind_conv(py::module_& m, const char* name) {
  layer<T>(m, name)
      .def(py::init([](Index in, Index out, Size kernel, Size stride, Size padding, Size dilation,
                       Index groups, bool bias, DType dtype) {
             Options options;
             options.stride = stride;
             options.padding = padding;
             options.dilation = dilation;
             options.groups = groups;
             return std::make_shared<T>(in, out, kernel, options, bias, dtype);
           }),
           py::arg("in_channels"), py::arg("out_channels"), py::arg("kernel_size"),
           py::arg("stride") = Size(1), py::arg("padding") = Size(0), py::arg("dilation") = Size(1),
           py::arg("groups") = 1, py::arg("bias") = true, HEED_DTYPE)
      .def_property_readonly("in_channels",
                             [](const T& f) { return f.weight.size(1) * f.options().groups; })
      .def_property_readonly("out_channels", [](const T& f) { return f.weight.size(0); })
      .def_property_readonly("kernel_size",
                             [](const T& f) {
                               std::vector<Index> sizes;
                               for (Index i = 2; i < f.weight.rank(); ++i)
                                 sizes.push_back(f.weight.size(i));
                               return Shape(sizes);
                             })
      .HEED_TENSOR(T, weight)
      .HEED_TENSOR(T, bias);
}

template <class T, class Options, class Size>
void bind_transposed(py::module_& m, const char* name) {
  layer<T>(m, name)
      .def(py::init([](Index in, Index out, Size kernel, Size stride, Size padding,
                       Size output_padding, Index groups, bool bias, Size dilation, DType dtype) {
             return std::make_shared<T>(in, out, kernel,
                                        Options{.stride = stride,
                                                .padding = padding,
                                                .output_padding = output_padding,
                                                .dilation = dilation,
                                                .groups = groups},
                                        bias, dtype);
           }),
           py::arg("in_channels"), py::arg("out_channels"), py::arg("kernel_size"),
           py::arg("stride") = Size(1), py::arg("padding") = Size(0),
           py::arg("output_padding") = Size(0), py::arg("groups") = 1, py::arg("bias") = true,
           py::arg("dilation") = Size(1), HEED_DTYPE)
      .HEED_TENSOR(T, weight)
      .HEED_TENSOR(T, bias);
}

template <class T>
void bind_batch_norm(py::module_& m, const char* name) {
  layer<T>(m, name)
      .def(py::init([](Index channels, double eps, std::optional<double> momentum, bool affine,
                       bool track, DType dtype) {
             return std::make_shared<T>(channels, BatchNormOptions{.eps = eps,
                                                                   .momentum = momentum,
                                                                   .affine = affine,
                                                                   .track_running_stats = track,
                                                                   .dtype = dtype});
           }),
           py::arg("num_features"), py::arg("eps") = 1e-5, py::arg("momentum") = 0.1,
           py::arg("affine") = true, py::arg("track_running_stats") = true, HEED_DTYPE)
      .HEED_TENSOR(T, weight)
      .HEED_TENSOR(T, bias)
      .HEED_TENSOR(T, running_mean)
      .HEED_TENSOR(T, running_var)
      .HEED_TENSOR(T, num_batches_tracked);
}

void bind_norms(py::module_& m) {
  bind_batch_norm<BatchNorm1d>(m, "BatchNorm1d");
  bind_batch_norm<BatchNorm2d>(m, "BatchNorm2d");
  layer<LayerNorm>(m, "LayerNorm")
      .def(py::init<const Shape&, double, bool, DType>(), py::arg("normalized_shape"),
           py::arg("eps") = 1e-5, py::arg("elementwise_affine") = true, HEED_DTYPE)
      .HEED_TENSOR(LayerNorm, weight)
      .HEED_TENSOR(LayerNorm, bias);
  layer<RMSNorm>(m, "RMSNorm")
      .def(py::init<const Shape&, double, bool, DType>(), py::arg("normalized_shape"),
           py::arg("eps") = 1e-6, py::arg("elementwise_affine") = true, HEED_DTYPE)
      .HEED_TENSOR(RMSNorm, weight);
  layer<GroupNorm>(m, "GroupNorm")
      .def(py::init<Index, Index, double, bool, DType>(), py::arg("num_groups"),
           py::arg("num_channels"), py::arg("eps") = 1e-5, py::arg("affine") = true, HEED_DTYPE)
      .HEED_TENSOR(GroupNorm, weight)
      .HEED_TENSOR(GroupNorm, bias);
}

// PyTorch's word for a result in x's memory: here it is a new one, with the same numbers.
#define HEED_IN_PLACE py::arg("inplace").noconvert() = false

template <class... T>
void bind_in_place(py::module_& m, const std::array<const char*, sizeof...(T)>& names) {
  std::size_t at = 0;
  (layer<T>(m, names[at++])
       .def(py::init([](bool) { return std::make_shared<T>(); }), HEED_IN_PLACE),
   ...);
}

template <class... T>
void bind_plain(py::module_& m, const std::array<const char*, sizeof...(T)>& names) {
  std::size_t at = 0;
  (layer<T>(m, names[at++]).def(py::init<>()), ...);
}

void bind_activations(py::module_& m) {
  bind_in_place<ReLU, SiLU, ReLU6, Mish, SELU, Hardsigmoid, Hardswish>(
      m, {"ReLU", "SiLU", "ReLU6", "Mish", "SELU", "Hardsigmoid", "Hardswish"});
  bind_plain<Tanh, nn::Sigmoid, LogSigmoid, Softsign, Identity>(
      m, {"Tanh", "Sigmoid", "LogSigmoid", "Softsign", "Identity"});
  layer<GELU>(m, "GELU").def(py::init<Gelu>(), py::arg("approximate") = Gelu::exact);
  layer<LeakyReLU>(m, "LeakyReLU")
      .def(py::init([](double slope, bool) { return std::make_shared<LeakyReLU>(slope); }),
           py::arg("negative_slope") = 0.01, HEED_IN_PLACE);
  layer<ELU>(m, "ELU").def(
      py::init([](double alpha, bool) { return std::make_shared<ELU>(alpha); }),
      py::arg("alpha") = 1, HEED_IN_PLACE);
  layer<Softplus>(m, "Softplus")
      .def(py::init<double, double>(), py::arg("beta") = 1, py::arg("threshold") = 20);
  layer<Hardtanh>(m, "Hardtanh")
      .def(py::init<double, double>(), py::arg("min_val") = -1, py::arg("max_val") = 1);
  layer<nn::Softmax>(m, "Softmax").def(py::init<Index>(), py::arg("dim"));
  layer<LogSoftmax>(m, "LogSoftmax").def(py::init<Index>(), py::arg("dim"));
  layer<GLU>(m, "GLU").def(py::init<Index>(), py::arg("dim") = -1);
  layer<PReLU>(m, "PReLU")
      .def(py::init<Index, double, DType>(), py::arg("num_parameters") = 1, py::arg("init") = 0.25,
           HEED_DTYPE)
      .HEED_TENSOR(PReLU, weight);
  layer<Dropout>(m, "Dropout")
      .def(py::init([](double p, bool) { return std::make_shared<Dropout>(p); }),
           py::arg("p") = 0.5, HEED_IN_PLACE)
      .def_property_readonly("p", &Dropout::p);
  layer<Dropout2d>(m, "Dropout2d")
      .def(py::init([](double p, bool) { return std::make_shared<Dropout2d>(p); }),
           py::arg("p") = 0.5, HEED_IN_PLACE);
}

template <class T, class Options, class Size>
void bind_max_pool(py::module_& m, const char* name) {
  layer<T>(m, name).def(
      py::init([](Size kernel, std::optional<Size> stride, Size padding, Size dilation, bool ceil) {
        return std::make_shared<T>(Options{.kernel = kernel,
                                           .stride = stride,
                                           .padding = padding,
                                           .dilation = dilation,
                                           .ceil_mode = ceil});
      }),
      py::arg("kernel_size"), py::arg("stride") = py::none(), py::arg("padding") = Size(0),
      py::arg("dilation") = Size(1), py::kw_only(), py::arg("ceil_mode") = false);
}

template <class T, class Options, class Size>
void bind_avg_pool(py::module_& m, const char* name) {
  layer<T>(m, name).def(
      py::init([](Size kernel, std::optional<Size> stride, Size padding, bool ceil, bool with_pad) {
        return std::make_shared<T>(Options{.kernel = kernel,
                                           .stride = stride,
                                           .padding = padding,
                                           .ceil_mode = ceil,
                                           .count_include_pad = with_pad});
      }),
      py::arg("kernel_size"), py::arg("stride") = py::none(), py::arg("padding") = Size(0),
      py::arg("ceil_mode") = false, py::arg("count_include_pad") = true);
}

void bind_shaping(py::module_& m) {
  bind_max_pool<MaxPool1d, MaxPool1dOptions, Index>(m, "MaxPool1d");
  bind_max_pool<MaxPool2d, MaxPool2dOptions, PerAxis>(m, "MaxPool2d");
  bind_avg_pool<AvgPool1d, AvgPool1dOptions, Index>(m, "AvgPool1d");
  bind_avg_pool<AvgPool2d, AvgPool2dOptions, PerAxis>(m, "AvgPool2d");
  layer<AdaptiveAvgPool1d>(m, "AdaptiveAvgPool1d").def(py::init<Index>(), py::arg("output_size"));
  layer<AdaptiveAvgPool2d>(m, "AdaptiveAvgPool2d").def(py::init<PerAxis>(), py::arg("output_size"));
  layer<Flatten>(m, "Flatten")
      .def(py::init<Index, Index>(), py::arg("start_dim") = 1, py::arg("end_dim") = -1);
  layer<Unflatten>(m, "Unflatten")
      .def(py::init<Index, Shape>(), py::arg("dim"), py::arg("unflattened_size"));
  layer<Upsample>(m, "Upsample")
      .def(py::init([](std::optional<PerAxis> size, std::optional<double> scale, Interpolation mode,
                       bool align) {
             return std::make_shared<Upsample>(InterpolateOptions{
                 .size = size, .scale = scale.value_or(0), .mode = mode, .align_corners = align});
           }),
           py::arg("size") = py::none(), py::arg("scale_factor") = py::none(),
           py::arg("mode") = Interpolation::nearest, py::arg("align_corners") = false);
  ModuleClass<PositionalEncoding>(m, "PositionalEncoding",
                                  "Sines and cosines added to x [B, T, width], then dropout.")
      .def(py::init<Index, double, Index, DType>(), py::arg("width"), py::arg("dropout") = 0.1,
           py::arg("max_steps") = 5000, HEED_DTYPE)
      .def(
          "forward",
          [](const PositionalEncoding& f, const Tensor& x, Index first) { return f(x, first); },
          Free(), py::arg("input"), py::arg("first") = 0)
      .HEED_TENSOR(PositionalEncoding, pe);
}

}  // namespace

void bind_layers(py::module_& m) {
  bind_dense(m);
  bind_conv<Conv1d, Conv1dOptions, Index>(m, "Conv1d");
  bind_conv<Conv2d, Conv2dOptions, PerAxis>(m, "Conv2d");
  bind_conv<Conv3d, Conv3dOptions, Triple>(m, "Conv3d");
  bind_transposed<ConvTranspose1d, ConvTranspose1dOptions, Index>(m, "ConvTranspose1d");
  bind_transposed<ConvTranspose2d, ConvTranspose2dOptions, PerAxis>(m, "ConvTranspose2d");
  bind_norms(m);
  bind_activations(m);
  bind_shaping(m);
}

}  // namespace heed::python
