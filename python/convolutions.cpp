// heed.nn.functional: convolutions, pooling, interpolation.
#include "bindings.h"

namespace heed::python {
namespace {

// Numbers of one axis or of both, with a dilation and groups: what all convolutions take.
template <class Options, class Size>
void bind_conv(py::module_& f, const char* name,
               Tensor (*function)(const Tensor&, const Tensor&, const Tensor&, const Options&)) {
  f.def(
      name,
      [function](const Tensor& x, const Tensor& weight, const Tensor& bias, Size stride,
                 Size padding, Size dilation, Index groups) {
        Options options;
        options.stride = stride;
        options.padding = padding;
        options.dilation = dilation;
        options.groups = groups;
        return function(x, weight, bias, options);
      },
      Free(), py::arg("input"), py::arg("weight"), py::arg("bias") = Tensor(),
      py::arg("stride") = Size(1), py::arg("padding") = Size(0), py::arg("dilation") = Size(1),
      py::arg("groups") = 1);
}

template <class Options, class Size>
void bind_transposed(py::module_& f, const char* name,
                     Tensor (*function)(const Tensor&, const Tensor&, const Tensor&,
                                        const Options&)) {
  f.def(
      name,
      [function](const Tensor& x, const Tensor& weight, const Tensor& bias, Size stride,
                 Size padding, Size output_padding, Index groups, Size dilation) {
        return function(x, weight, bias,
                        Options{.stride = stride,
                                .padding = padding,
                                .output_padding = output_padding,
                                .dilation = dilation,
                                .groups = groups});
      },
      Free(), py::arg("input"), py::arg("weight"), py::arg("bias") = Tensor(),
      py::arg("stride") = Size(1), py::arg("padding") = Size(0),
      py::arg("output_padding") = Size(0), py::arg("groups") = 1, py::arg("dilation") = Size(1));
}

template <class Options, class Size>
void bind_max_pool(py::module_& f, const char* name,
                   Tensor (*function)(const Tensor&, const Options&)) {
  f.def(
      name,
      [function](const Tensor& x, Size kernel, std::optional<Size> stride, Size padding,
                 Size dilation, bool ceil) {
        return function(x, Options{.kernel = kernel,
                                   .stride = stride,
                                   .padding = padding,
                                   .dilation = dilation,
                                   .ceil_mode = ceil});
      },
      Free(), py::arg("input"), py::arg("kernel_size"), py::arg("stride") = py::none(),
      py::arg("padding") = Size(0), py::arg("dilation") = Size(1), py::arg("ceil_mode") = false);
}

template <class Options, class Size>
void bind_avg_pool(py::module_& f, const char* name,
                   Tensor (*function)(const Tensor&, const Options&)) {
  f.def(
      name,
      [function](const Tensor& x, Size kernel, std::optional<Size> stride, Size padding, bool ceil,
                 bool with_pad) {
        return function(x, Options{.kernel = kernel,
                                   .stride = stride,
                                   .padding = padding,
                                   .ceil_mode = ceil,
                                   .count_include_pad = with_pad});
      },
      Free(), py::arg("input"), py::arg("kernel_size"), py::arg("stride") = py::none(),
      py::arg("padding") = Size(0), py::arg("ceil_mode") = false,
      py::arg("count_include_pad") = true);
}

}  // namespace

void bind_convolutions(py::module_& f) {
  bind_conv<Conv1dOptions, Index>(f, "conv1d", &conv1d);
  bind_conv<Conv2dOptions, PerAxis>(f, "conv2d", &conv2d);
  bind_conv<Conv3dOptions, Triple>(f, "conv3d", &conv3d);
  bind_transposed<ConvTranspose1dOptions, Index>(f, "conv_transpose1d", &conv_transpose1d);
  bind_transposed<ConvTranspose2dOptions, PerAxis>(f, "conv_transpose2d", &conv_transpose2d);
  bind_max_pool<MaxPool1dOptions, Index>(f, "max_pool1d", &max_pool1d);
  bind_max_pool<MaxPool2dOptions, PerAxis>(f, "max_pool2d", &max_pool2d);
  bind_avg_pool<AvgPool1dOptions, Index>(f, "avg_pool1d", &avg_pool1d);
  bind_avg_pool<AvgPool2dOptions, PerAxis>(f, "avg_pool2d", &avg_pool2d);
  f.def("adaptive_avg_pool1d", &adaptive_avg_pool1d, Free(), py::arg("input"),
        py::arg("output_size"));
  f.def("adaptive_avg_pool2d", &adaptive_avg_pool2d, Free(), py::arg("input"),
        py::arg("output_size"));
  f.def(
      "interpolate",
      [](const Tensor& x, std::optional<PerAxis> size, std::optional<double> scale,
         Interpolation mode, bool align) {
        return interpolate(x, {.size = size,
                               .scale = scale.value_or(0),
                               .mode = mode,
                               .align_corners = align});
      },
      Free(), py::arg("input"), py::arg("size") = py::none(), py::arg("scale_factor") = py::none(),
      py::arg("mode") = Interpolation::nearest, py::arg("align_corners") = false);
}

}  // namespace heed::python
