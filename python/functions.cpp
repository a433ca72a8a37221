// heed.nn.functional: activations, normalising, losses, dropout, padding.
#include "bindings.h"
#include "python_operators.h"

namespace heed::python {
namespace {

void bind_activations(py::module_& f) {
  using Unary = Tensor (*)(const Tensor&);
  for (const auto& [name, function] : {std::pair<const char*, Unary>("sigmoid", &sigmoid),
                                       {"tanh", &tanh},
                                       {"softsign", &softsign},
                                       {"logsigmoid", &log_sigmoid}}) {
    f.def(name, function, Free(), py::arg("input"));
  }
  // `inplace` is PyTorch's word for a result in x's memory: here it is a new one, with the same
  // numbers.
  const auto in_place = py::arg_v(py::arg("inplace").noconvert(), false);
  for (const auto& [name, function] : {std::pair<const char*, Unary>("relu", &relu),
                                       {"silu", &silu},
                                       {"relu6", &relu6},
                                       {"mish", &mish},
                                       {"selu", &selu},
                                       {"hardsigmoid", &hardsigmoid},
                                       {"hardswish", &hardswish}}) {
    f.def(
        name, [function](const Tensor& x, bool) { return function(x); }, Free(), py::arg("input"),
        in_place);
  }
  f.def("gelu", &gelu, Free(), py::arg("input"), py::arg("approximate") = Gelu::exact);
  f.def(
      "leaky_relu", [](const Tensor& x, double slope, bool) { return leaky_relu(x, slope); },
      Free(), py::arg("input"), py::arg("negative_slope") = 0.01, in_place);
  f.def(
      "elu", [](const Tensor& x, double alpha, bool) { return elu(x, alpha); }, Free(),
      py::arg("input"), py::arg("alpha") = 1, in_place);
  f.def("softplus", &softplus, Free(), py::arg("input"), py::arg("beta") = 1,
        py::arg("threshold") = 20);
  f.def("hardtanh", &hardtanh, Free(), py::arg("input"), py::arg("min_val") = -1,
        py::arg("max_val") = 1);
  f.def("glu", &glu, Free(), py::arg("input"), py::arg("dim") = -1);
  f.def("prelu", &prelu, Free(), py::arg("input"), py::arg("weight"));
}

void bind_normalising(py::module_& f) {
  using Masked = Tensor (*)(const Tensor&, Index, const Tensor&);
  for (const auto& [name, function] :
       {std::pair<const char*, Masked>("softmax", &softmax), {"sparsemax", &sparsemax}}) {
    f.def(
        name, function, Free(), py::arg("input"), py::arg("dim"), py::arg("mask") = Tensor(),
        "Where a mask (bool) is given, what it does not allow gets 0, and a row of nothing zeros.");
  }
  f.def("log_softmax", static_cast<Tensor (*)(const Tensor&, Index)>(&log_softmax), Free(),
        py::arg("input"), py::arg("dim"));
  // First, so that an alpha that is trained is not taken for a number.
  f.def(
      "entmax",
      [](const Tensor& x, Index dim, const Tensor& alpha, const Tensor& mask) {
        return entmax(x, dim, beside(x, alpha), mask);
      },
      Free(), py::arg("input"), py::arg("dim"), py::arg("alpha").none(false),
      py::arg("mask") = Tensor());
  f.def("entmax", static_cast<Tensor (*)(const Tensor&, Index, double, const Tensor&)>(&entmax),
        Free(), py::arg("input"), py::arg("dim"), py::arg("alpha") = 1.5,
        py::arg("mask") = Tensor());
  f.def("layer_norm", &layer_norm, Free(), py::arg("input"), py::arg("normalized_shape"),
        py::arg("weight") = Tensor(), py::arg("bias") = Tensor(), py::arg("eps") = 1e-5);
  f.def("rms_norm", &rms_norm, Free(), py::arg("input"), py::arg("normalized_shape"),
        py::arg("weight") = Tensor(), py::arg("eps") = 1e-6);
  f.def("group_norm", &group_norm, Free(), py::arg("input"), py::arg("num_groups"),
        py::arg("weight") = Tensor(), py::arg("bias") = Tensor(), py::arg("eps") = 1e-5);
  f.def("batch_norm", &batch_norm, Free(), py::arg("input"), py::arg("running_mean"),
        py::arg("running_var"), py::arg("weight") = Tensor(), py::arg("bias") = Tensor(),
        py::arg("training") = false, py::arg("momentum") = 0.1, py::arg("eps") = 1e-5);
  f.def("normalize", &normalize, Free(), py::arg("input"), py::arg("p") = 2, py::arg("dim") = 1,
        py::arg("eps") = 1e-12);
  f.def("cosine_similarity", &cosine_similarity, Free(), py::arg("x1"), py::arg("x2"),
        py::arg("dim") = 1, py::arg("eps") = 1e-8);
}

void bind_loss_functions(py::module_& f) {
  using Pair = Tensor (*)(const Tensor&, const Tensor&, Reduction);
  for (const auto& [name, function] :
       {std::pair<const char*, Pair>("mse_loss", &mse_loss), {"l1_loss", &l1_loss}}) {
    f.def(name, function, Free(), py::arg("input"), py::arg("target"),
          py::arg("reduction") = Reduction::mean);
  }
  using Bent = Tensor (*)(const Tensor&, const Tensor&, double, Reduction);
  f.def("smooth_l1_loss", static_cast<Bent>(&smooth_l1_loss), Free(), py::arg("input"),
        py::arg("target"), py::arg("beta") = 1, py::arg("reduction") = Reduction::mean);
  f.def("huber_loss", static_cast<Bent>(&huber_loss), Free(), py::arg("input"), py::arg("target"),
        py::arg("delta") = 1, py::arg("reduction") = Reduction::mean);
  f.def("hinge_embedding_loss", static_cast<Bent>(&hinge_embedding_loss), Free(), py::arg("input"),
        py::arg("target"), py::arg("margin") = 1, py::arg("reduction") = Reduction::mean);
  f.def("kl_div", &divergence, Free(), py::arg("input").none(false), py::arg("target").none(false),
        py::arg("reduction") = KlReduction::mean, py::arg("log_target") = false);
  f.def("cosine_embedding_loss", &cosine_embedding_loss, Free(), py::arg("input1"),
        py::arg("input2"), py::arg("target"), py::arg("margin") = 0,
        py::arg("reduction") = Reduction::mean);
  f.def("margin_ranking_loss", &margin_ranking_loss, Free(), py::arg("input1"), py::arg("input2"),
        py::arg("target"), py::arg("margin") = 0, py::arg("reduction") = Reduction::mean);
  f.def("triplet_margin_loss", &triplet_margin_loss, Free(), py::arg("anchor"), py::arg("positive"),
        py::arg("negative"), py::arg("margin") = 1, py::arg("reduction") = Reduction::mean);
  f.def(
      "cross_entropy",
      [](const Tensor& x, const Tensor& y, const Tensor& weight, Index ignore, Reduction reduction,
         double smoothing) {
        return cross_entropy(x, y,
                             {.weight = weight,
                              .ignore_index = ignore,
                              .label_smoothing = smoothing,
                              .reduction = reduction});
      },
      Free(), py::arg("input"), py::arg("target"), py::arg("weight") = Tensor(), py::kw_only(),
      py::arg("ignore_index") = -100, py::arg("reduction") = Reduction::mean,
      py::arg("label_smoothing") = 0);
  f.def(
      "nll_loss",
      [](const Tensor& x, const Tensor& y, const Tensor& weight, Index ignore,
         Reduction reduction) {
        return nll_loss(x, y, {.weight = weight, .ignore_index = ignore, .reduction = reduction});
      },
      Free(), py::arg("input"), py::arg("target"), py::arg("weight") = Tensor(), py::kw_only(),
      py::arg("ignore_index") = -100, py::arg("reduction") = Reduction::mean);
  f.def(
      "binary_cross_entropy_with_logits",
      [](const Tensor& x, const Tensor& y, const Tensor& weight, const Tensor& positive,
         Reduction reduction) {
        return binary_cross_entropy_with_logits(
            x, y, {.weight = weight, .pos_weight = positive, .reduction = reduction});
      },
      Free(), py::arg("input"), py::arg("target"), py::arg("weight") = Tensor(), py::kw_only(),
      py::arg("pos_weight") = Tensor(), py::arg("reduction") = Reduction::mean);
  f.def(
      "binary_cross_entropy",
      [](const Tensor& x, const Tensor& y, const Tensor& weight, Reduction reduction) {
        return binary_cross_entropy(x, y, {.weight = weight, .reduction = reduction});
      },
      Free(), py::arg("input"), py::arg("target"), py::arg("weight") = Tensor(),
      py::arg("reduction") = Reduction::mean);
  f.def(
      "multi_margin_loss",
      [](const Tensor& x, const Tensor& y, Index p, double margin, const Tensor& weight,
         Reduction reduction) {
        return multi_margin_loss(
            x, y, {.p = p, .margin = margin, .weight = weight, .reduction = reduction});
      },
      Free(), py::arg("input"), py::arg("target"), py::arg("p") = 1, py::arg("margin") = 1,
      py::arg("weight") = Tensor(), py::arg("reduction") = Reduction::mean);
  f.def(
      "ctc_loss",
      [](const Tensor& x, const Tensor& y, const std::vector<Index>& inputs,
         const std::vector<Index>& targets, Index blank, Reduction reduction, bool zero_infinity) {
        return ctc_loss(x, y, inputs, targets,
                        {.blank = blank, .reduction = reduction, .zero_infinity = zero_infinity});
      },
      Free(), py::arg("log_probs"), py::arg("targets"), py::arg("input_lengths"),
      py::arg("target_lengths"), py::arg("blank") = 0, py::arg("reduction") = Reduction::mean,
      py::arg("zero_infinity") = false);
}

}  // namespace

Tensor divergence(const Tensor& input, const Tensor& target, KlReduction reduction,
                  bool log_target) {
  if (reduction != KlReduction::batchmean) {
    return kl_div(input, target, static_cast<Reduction>(reduction), log_target);
  }
  return kl_div(input, target, Reduction::sum, log_target) / input.size(0);
}

Index padding_of(const char* op, std::optional<Index> padding, Index rows) {
  if (!padding) return -1;
  if (*padding < -rows || *padding >= rows) {
    throw ValueError(std::string(op) + ": padding_idx " + std::to_string(*padding) +
                     " is no row of " + std::to_string(rows));
  }
  return *padding < 0 ? *padding + rows : *padding;
}

void bind_functions(py::module_& f) {
  bind_activations(f);
  bind_normalising(f);
  bind_loss_functions(f);
  f.def(
      "dropout",
      [](const Tensor& x, double p, bool training, bool) { return dropout(x, p, training); },
      Free(), py::arg("input"), py::arg("p") = 0.5, py::arg("training") = true,
      py::arg("inplace") = false);
  f.def("linear", &linear, Free(), py::arg("input"), py::arg("weight"), py::arg("bias") = Tensor());
  f.def("bilinear", &bilinear, Free(), py::arg("input1"), py::arg("input2"), py::arg("weight"),
        py::arg("bias") = Tensor());
  f.def(
      "embedding",
      [](const Tensor& ids, const Tensor& weight, std::optional<Index> padding, bool sparse) {
        if (!weight.defined()) return embedding(weight, ids);  // which refuses it
        return embedding(weight, ids, sparse, padding_of("embedding", padding, weight.size(0)));
      },
      Free(), py::arg("input"), py::arg("weight"), py::arg("padding_idx") = py::none(),
      py::kw_only(), py::arg("sparse") = false);
  f.def("one_hot", &one_hot, Free(), py::arg("input"), py::arg("num_classes") = -1,
        py::arg("dtype") = DType::i64);
  using Pad = Tensor (*)(const Tensor&, const std::vector<Index>&, PadMode, Scalar);
  f.def("pad", static_cast<Pad>(&pad), Free(), py::arg("input"), py::arg("pad"),
        py::arg("mode") = PadMode::constant, py::arg("value") = 0);
  using Dot = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Tensor&, double, bool,
                         std::optional<double>);
  f.def("scaled_dot_product_attention", static_cast<Dot>(&scaled_dot_product_attention), Free(),
        py::arg("query"), py::arg("key"), py::arg("value"), py::arg("attn_mask") = Tensor(),
        py::arg("dropout_p") = 0, py::arg("is_causal") = false, py::arg("scale") = py::none(),
        "A bool mask says who may be attended to; a floating one is added to the scores. Without a "
        "scale 1 / sqrt(D). A query that may attend to nothing gets zeros.");
  f.attr("log_sigmoid") = f.attr("logsigmoid");
}

}  // namespace heed::python
