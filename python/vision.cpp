// heed.attention: pictures, as maps [B, C, H, W] or as patches.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(AugmentedConvolutionOptions, in, out, kernel, heads, key_width, value_width, height,
            width, relative, dtype)
HEED_FIELDS(Conv2dOptions, stride, padding, dilation, groups)
HEED_FIELDS(DeformableOptions, width, heads, levels, points, dtype)
HEED_GIVES(DeformablyAttended, context, weights, places)
HEED_FIELDS(DrawOptions, state_width, size, height, width, dtype)
HEED_GIVES(DrawFilters, rows, columns, gamma)
HEED_FIELDS(NonLocalOptions, width, inner, kind, subsample, dtype)
HEED_FIELDS(SpatialTransformerOptions, features, height, width, kind, padding, dtype)
HEED_GIVES(SpatiallyTransformed, output, theta)
HEED_FIELDS(SwinOptions, channels, patch, classes, width, depths, heads, window, dropout, dtype)
HEED_GIVES(SwinOutput, logits, features, weights)
HEED_FIELDS(SwinBlockOptions, width, heads, window, shift, hidden, dropout, dtype)
HEED_GIVES(VisionTransformerOutput, logits, distilled, weights)

template <>
struct FieldsOf<VisionTransformerOptions> {
  using O = VisionTransformerOptions;
  static constexpr bool kGiven = false;
  static const Fields& all() {
    static const auto& fields = *[] {
      auto* const out = new Fields HEED_LIST(height, width, channels, patch, classes, layers,
                                             embedding, heads, hidden, dropout, distilled, dtype);
      const auto set = [](O& options, const py::handle& given) {
        options.encoder = [held = Held(given.cast<py::dict>())](const TransformerOptions& own) {
          const py::gil_scoped_acquire lock;
          return options_of("encoder", own, held(), FieldsOf<TransformerOptions>::all());
        };
      };
      out->push_back({"encoder", setting<O>(set), [] { return "dict"; }, [] { return "{}"; }});
      return out;
    }();
    return fields;
  }
};

namespace {

const char* const kMap = "context [B, C, H, W], weights of a map [B, C, H, W].";

template <class T, class... Parts>
void gate(py::module_& m, const char* names, const char* what) {
  Mechanism<T>(m, what).template init<Parts...>(names).forward("map, need_weights", &T::operator(),
                                                               kMap);
}

void bind_gates(py::module_& m) {
  gate<SqueezeExcitation, Index, Index, DType>(m, "channels, reduction=16, dtype",
                                               "Squeeze and excitation (Hu et al. 2018).");
  gate<EfficientChannelAttention, Index, Index, DType>(m, "channels, kernel=0, dtype",
                                                       "ECA-Net (Wang et al. 2020).");
  gate<ChannelGate, Index, Index, DType>(m, "channels, reduction=16, dtype",
                                         "CBAM's first half (Woo et al. 2018).");
  gate<PlaceGate, Index, DType>(m, "kernel=7, dtype", "CBAM's second half (Woo et al. 2018).");
  gate<CBAM, Index, Index, Index, DType>(m, "channels, reduction=16, kernel=7, dtype",
                                         "Channels, then places (Woo et al. 2018).");
}

void bind_maps(py::module_& m) {
  Mechanism<AugmentedConvolution>(m, "Some channels by attention (Bello et al. 2019).")
      .init<AugmentedConvolutionOptions>()
      .forward("map", &AugmentedConvolution::operator(), kMap);
  Mechanism<NonLocal>(m, "Each place looks at all others (Wang et al. 2018).")
      .init<NonLocalOptions>()
      .forward("map", &NonLocal::operator(), kMap);
  function(m, "with_coordinates", "map, radius", &with_coordinates,
           "[B, C, H, W] -> [B, C + 2 (or 3), H, W].");
  Mechanism<CoordConv>(m, "A convolution that is told where it is (Liu et al. 2018).")
      .init<Index, Index, PerAxis, const Conv2dOptions&, bool, DType>(
          "in_channels, out_channels, kernel_size, radius, dtype")
      .forward("map", &CoordConv::operator(), "[B, C, H, W] -> [B, O, H', W'].");
  record<DeformablyAttended>(m, "context, weights [B, M, Q, L K], places [B, M, Q, L, K, 2].");
  Mechanism<DeformableAttention>(m, "A few places of several maps (Zhu et al. 2021).")
      .init<DeformableOptions>()
      .forward("query, references, maps", &DeformableAttention::operator(),
               "[B, Q, E], [B, Q, 2], L of [B, E, H, W].");
  record<SpatiallyTransformed>(m, "output [B, C, OH, OW], theta [B, 2, 3].");
  Mechanism<SpatialTransformer>(m, "A window that the network places (Jaderberg et al. 2015).")
      .init<SpatialTransformerOptions>()
      .forward("map, features", &SpatialTransformer::operator(), "[B, C, H, W], [B, F].");
}

void bind_draw(py::module_& m) {
  record<DrawFilters>(m, "rows [B, N, H], columns [B, N, W], gamma [B].");
  Mechanism<DrawAttention>(m, "DRAW's patches (Gregor et al. 2015).")
      .init<DrawOptions>()
      .method("filters", "state", &DrawAttention::filters, "Of states [B, h].")
      .method(
          "read", "image, at",
          [](const DrawAttention& f, const Tensor& image, const DrawFilters& at) {
            return f.read(image, at);
          },
          "[B, C, H, W] -> [B, C, N, N].")
      .method(
          "write", "patch, at",
          [](const DrawAttention& f, const Tensor& patch, const DrawFilters& at) {
            return f.write(patch, at);
          },
          "[B, C, N, N] -> [B, C, H, W].");
}

void bind_patches(py::module_& m) {
  record<SwinOutput>(m, "logits [B, classes], features [B, h, w, E'], weights of each block.");
  Mechanism<SwinBlock>(m, "Windows, shifted (Liu et al. 2021).")
      .init<SwinBlockOptions>()
      .forward("input, need_weights", &SwinBlock::operator(), "[B, H, W, E].");
  Mechanism<PatchMerging>(m, "Four patches as one (Liu et al. 2021).")
      .init<Index, DType>("width, dtype")
      .forward("input", &PatchMerging::operator(), "[B, H, W, E] -> [B, H / 2, W / 2, 2 E].");
  Mechanism<Swin>(m, "Swin Transformer (Liu et al. 2021).")
      .init<SwinOptions>()
      .forward("images, need_weights", &Swin::operator(), "[B, C, H, W].");
  record<VisionTransformerOutput>(m, "logits, distilled [B, classes], weights of each layer.")
      .def_readonly("routed", &VisionTransformerOutput::routed, "Of each layer that has experts.");
  Mechanism<VisionTransformer>(m,
                               "Patches as words (Dosovitskiy et al. 2021); encoder={..}: "
                               "options of its layers.")
      .init<VisionTransformerOptions>()
      .forward("images", &VisionTransformer::operator(), "[B, C, H, W]; terms as of attend().");
  function(m, "hard_distillation_loss", "output, labels, teacher", &hard_distillation_loss,
           "Of DeiT (Touvron et al. 2021): labels and teacher i64 [B].");
}

}  // namespace

void bind_vision(py::module_& m) {
  bind_gates(m);
  bind_maps(m);
  bind_draw(m);
  bind_patches(m);
}

}  // namespace heed::python
