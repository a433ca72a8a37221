// The losses of heed.nn as modules; heed.nn.functional has them as functions.
#include "modules.h"

namespace heed::python {
namespace {

using namespace heed::nn;

// KLDivLoss, which has a reduction more in Python.
class DivergenceLoss : public Layer<DivergenceLoss> {
 public:
  DivergenceLoss(KlReduction reduction, bool log_target)
      : reduction_(reduction), log_target_(log_target) {}
  std::string class_name() const override { return "KLDivLoss"; }
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    const heed::Scope scope(*this);
    return forwarded(divergence(input, target, reduction_, log_target_));
  }

 private:
  KlReduction reduction_;
  bool log_target_;
};

// A loss of an input and a target.
template <class T>
ModuleClass<T> loss(py::module_& m, const char* name) {
  ModuleClass<T> c(m, name);
  c.def(
      "forward", [](const T& loss, const Tensor& x, const Tensor& y) { return loss(x, y); }, Free(),
      py::arg("input").none(false), py::arg("target").none(false));
  return c;
}

#define HEED_REDUCTION py::arg("reduction") = Reduction::mean

template <class T>
void bent(py::module_& m, const char* name, const char* by, double value) {
  loss<T>(m, name).def(py::init<double, Reduction>(), py::arg(by) = value, HEED_REDUCTION);
}

}  // namespace

void bind_losses(py::module_& m) {
  loss<MSELoss>(m, "MSELoss").def(py::init<Reduction>(), HEED_REDUCTION);
  loss<L1Loss>(m, "L1Loss").def(py::init<Reduction>(), HEED_REDUCTION);
  loss<BCELoss>(m, "BCELoss").def(py::init<Reduction>(), HEED_REDUCTION);
  bent<SmoothL1Loss>(m, "SmoothL1Loss", "beta", 1);
  bent<HuberLoss>(m, "HuberLoss", "delta", 1);
  bent<HingeEmbeddingLoss>(m, "HingeEmbeddingLoss", "margin", 1);
  loss<DivergenceLoss>(m, "KLDivLoss")
      .def(py::init<KlReduction, bool>(), py::arg("reduction") = KlReduction::mean,
           py::arg("log_target") = false);
  loss<CrossEntropyLoss>(m, "CrossEntropyLoss")
      .def(py::init([](const Tensor& weight, Index ignore, Reduction reduction, double smoothing) {
             return std::make_shared<CrossEntropyLoss>(
                 CrossEntropyOptions{.weight = weight,
                                     .ignore_index = ignore,
                                     .label_smoothing = smoothing,
                                     .reduction = reduction});
           }),
           py::arg("weight") = Tensor(), py::kw_only(), py::arg("ignore_index") = -100,
           HEED_REDUCTION, py::arg("label_smoothing") = 0)
      .HEED_TENSOR(CrossEntropyLoss, weight);
  loss<NLLLoss>(m, "NLLLoss")
      .def(py::init([](const Tensor& weight, Index ignore, Reduction reduction) {
             return std::make_shared<NLLLoss>(
                 NllLossOptions{.weight = weight, .ignore_index = ignore, .reduction = reduction});
           }),
           py::arg("weight") = Tensor(), py::kw_only(), py::arg("ignore_index") = -100,
           HEED_REDUCTION)
      .HEED_TENSOR(NLLLoss, weight);
  loss<BCEWithLogitsLoss>(m, "BCEWithLogitsLoss")
      .def(py::init([](const Tensor& weight, Reduction reduction, const Tensor& positive) {
             return std::make_shared<BCEWithLogitsLoss>(BinaryCrossEntropyOptions{
                 .weight = weight, .pos_weight = positive, .reduction = reduction});
           }),
           py::arg("weight") = Tensor(), py::kw_only(), HEED_REDUCTION,
           py::arg("pos_weight") = Tensor())
      .HEED_TENSOR(BCEWithLogitsLoss, weight)
      .HEED_TENSOR(BCEWithLogitsLoss, pos_weight);
  loss<MultiMarginLoss>(m, "MultiMarginLoss")
      .def(py::init([](Index p, double margin, const Tensor& weight, Reduction reduction) {
             return std::make_shared<MultiMarginLoss>(MultiMarginLossOptions{
                 .p = p, .margin = margin, .weight = weight, .reduction = reduction});
           }),
           py::arg("p") = 1, py::arg("margin") = 1, py::arg("weight") = Tensor(), HEED_REDUCTION);
  ModuleClass<CosineEmbeddingLoss>(m, "CosineEmbeddingLoss")
      .def(py::init<double, Reduction>(), py::arg("margin") = 0, HEED_REDUCTION)
      .def(
          "forward",
          [](const CosineEmbeddingLoss& f, const Tensor& a, const Tensor& b, const Tensor& y) {
            return f(a, b, y);
          },
          Free(), py::arg("input1"), py::arg("input2"), py::arg("target"));
  ModuleClass<MarginRankingLoss>(m, "MarginRankingLoss")
      .def(py::init<double, Reduction>(), py::arg("margin") = 0, HEED_REDUCTION)
      .def(
          "forward",
          [](const MarginRankingLoss& f, const Tensor& x1, const Tensor& x2, const Tensor& y) {
            return f(x1, x2, y);
          },
          Free(), py::arg("input1"), py::arg("input2"), py::arg("target"));
  ModuleClass<TripletMarginLoss>(m, "TripletMarginLoss")
      .def(py::init<double, Reduction>(), py::arg("margin") = 1, HEED_REDUCTION)
      .def(
          "forward",
          [](const TripletMarginLoss& f, const Tensor& anchor, const Tensor& positive,
             const Tensor& negative) { return f(anchor, positive, negative); },
          Free(), py::arg("anchor"), py::arg("positive"), py::arg("negative"));
  ModuleClass<CosineSimilarity>(m, "CosineSimilarity")
      .def(py::init<Index, double>(), py::arg("dim") = 1, py::arg("eps") = 1e-8)
      .def(
          "forward",
          [](const CosineSimilarity& f, const Tensor& x, const Tensor& y) { return f(x, y); },
          Free(), py::arg("x1"), py::arg("x2"));
  ModuleClass<CTCLoss>(m, "CTCLoss")
      .def(py::init([](Index blank, Reduction reduction, bool zero_infinity) {
             return std::make_shared<CTCLoss>(CtcLossOptions{
                 .blank = blank, .reduction = reduction, .zero_infinity = zero_infinity});
           }),
           py::arg("blank") = 0, HEED_REDUCTION, py::arg("zero_infinity") = false)
      .def(
          "forward",
          [](const CTCLoss& f, const Tensor& x, const Tensor& y, const std::vector<Index>& inputs,
             const std::vector<Index>& targets) { return f(x, y, inputs, targets); },
          Free(), py::arg("log_probs"), py::arg("targets"), py::arg("input_lengths"),
          py::arg("target_lengths"));
}

}  // namespace heed::python
