#include <cmath>

#include "../../../../autograd/ops/losses/margin_losses.h"
#include "../../../../core/error.h"
#include "../reduced.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

Row hinge_embedding_row() {
  const auto form = [](const std::string& name, const Sizes& shape,
                       const std::vector<double>& signs, double margin, Reduction reduction) {
    const Block targets(shape, signs);
    return sample(
        name, {in(shape, Domain::distinct)},
        [=](X x) {
          return hinge_embedding_loss(x[0], to_tensor(targets, x[0].dtype()), margin, reduction);
        },
        [=](B x) {
          const auto one = [margin](double value, double sign) {
            return sign == 1 ? value : std::fmax(0, margin - value);
          };
          return reduced(map(x[0], targets, one), reduction);
        });
  };
  return {
      "hinge_embedding_loss",
      {form("mean", {2, 3}, {1, -1, -1, 1, -1, -1}, 0.9, Reduction::mean),
       form("sum", {5}, {-1, -1, 1, -1, -1}, 0.3, Reduction::sum),
       form("none", {2, 2}, {-1, 1, -1, 1}, -0.2, Reduction::none),
       form("rank 0", {}, {-1}, 5, Reduction::mean), form("empty", {0, 3}, {}, 1, Reduction::none)},
      {BAD(ValueError, "hinge_embedding_loss: target 0 at 1 is neither 1 nor -1",
           hinge_embedding_loss(of(2), ids(1, 0))),
       BAD(ValueError, "hinge_embedding_loss: margin inf is not finite",
           hinge_embedding_loss(of(2), ids(1, 1), INFINITY)),
       BAD(ShapeError, "hinge_embedding_loss: targets are i64[1] for input f32[2]",
           hinge_embedding_loss(of(2), ids(1))),
       BAD(DTypeError, "hinge_embedding_loss: targets must be numbers, not bool[2]",
           hinge_embedding_loss(of(2), of<DType::boolean>(2))),
       BAD(DTypeError, "hinge_embedding_loss: takes f32 or f64, not i64",
           hinge_embedding_loss(ids(1), ids(1))),
       BAD(ShapeError, "hinge_embedding_loss: there is no mean over no elements",
           hinge_embedding_loss(of(0), of(0))),
       BAD(GradError, "hinge_embedding_loss: x is undefined",
           hinge_embedding_loss(Tensor(), ids(1)))}};
}

double cosine(const Block& a, const Block& b, Place at) {
  double product = 0, of_a = 1e-12, of_b = 1e-12;
  at.push_back(0);
  for (Index i = 0; i < a.size(-1); ++i) {
    at.back() = i;
    product += a(at) * b(at);
    of_a += a(at) * a(at);
    of_b += b(at) * b(at);
  }
  return product / std::sqrt(of_a * of_b);
}

Row cosine_embedding_row() {
  const auto form = [](const std::string& name, const Sizes& shape,
                       const std::vector<double>& signs, double margin, Reduction reduction) {
    const Sizes rows(shape.begin(), shape.end() - 1);
    const Block targets(rows, signs);
    return sample(
        name, {in(shape, Domain::nonzero), in(shape, Domain::nonzero)},
        [=](X x) {
          const Tensor y = to_tensor(targets, DType::i64);
          return cosine_embedding_loss(x[0], x[1], y, margin, reduction);
        },
        [=](B x) {
          const Block losses(rows, [&](const Place& p) {
            const double c = cosine(x[0], x[1], p);
            return targets(p) == 1 ? 1 - c : std::fmax(0, c - margin);
          });
          return reduced(losses, reduction);
        });
  };
  return {"cosine_embedding_loss",
          {form("mean", {3, 5}, {1, -1, -1}, -0.9, Reduction::mean),
           form("sum", {3, 2}, {-1, 1, 1}, 0.1, Reduction::sum),
           form("none", {2, 3}, {1, -1}, -0.8, Reduction::none),
           form("one pair", {7}, {1}, 0, Reduction::mean),
           form("empty", {0, 3}, {}, 0, Reduction::none)},
          {BAD(ValueError, "cosine_embedding_loss: target 2 at 0 is neither 1 nor -1",
               cosine_embedding_loss(of(1, 3), of(1, 3), ids(2))),
           BAD(ValueError, "cosine_embedding_loss: margin nan is not finite",
               cosine_embedding_loss(of(1, 3), of(1, 3), ids(1), NAN)),
           BAD(ShapeError, "cosine_embedding_loss: b must have the input's shape: it is f32[3] for",
               cosine_embedding_loss(of(1, 3), of(3), ids(1))),
           BAD(ShapeError, "cosine_embedding_loss: inputs must be [D] or [N, D], not f32[]",
               cosine_embedding_loss(of(), of(), ids(1))),
           BAD(ShapeError, "cosine_embedding_loss: targets are i64[1] for inputs f32[3]",
               cosine_embedding_loss(of(3), of(3), ids(1))),
           BAD(DTypeError, "cosine_embedding_loss: b is f64[3] for input f32[3]",
               cosine_embedding_loss(of(3), of<DType::f64>(3), ids(1))),
           BAD(GradError, "cosine_embedding_loss: a is undefined",
               cosine_embedding_loss(Tensor(), of(3), ids(1))),
           BAD(GradError, "cosine_embedding_loss: targets is undefined",
               cosine_embedding_loss(of(3), of(3), Tensor()))}};
}

Row multi_margin_row() {
  struct Form {
    std::string name;
    Sizes shape;
    std::vector<Index> classes;
    Index p = 1;
    double margin = 1.03;
    std::vector<double> weight = {};
    Reduction reduction = Reduction::mean;
  };
  const std::vector<Form> forms = {
      {"mean", {3, 5}, {4, 0, 2}},
      {"sum", {3, 2}, {1, 1, 0}, 1, 0.4, {}, Reduction::sum},
      {"none", {2, 3}, {2, 0}, 1, 1.03, {}, Reduction::none},
      {"squared", {3, 5}, {1, 3, 3}, 2},
      {"weights", {3, 2}, {1, 0, 1}, 1, 1.9, {0.3, 2}},
      {"weights, squared", {2, 3}, {1, 0}, 2, 1.03, {0.3, 2, 1}, Reduction::none},
      {"one vector", {5}, {3}},
      {"empty", {0, 3}, {}, 1, 1, {}, Reduction::sum}};
  Row row{
      "multi_margin_loss",
      {},
      {BAD(IndexError, "multi_margin_loss: target 3 at 0 is out of range [0, 3)",
           multi_margin_loss(of(1, 3), ids(3))),
       BAD(IndexError, "multi_margin_loss: target -100 at 0",
           multi_margin_loss(of(1, 3), ids(-100))),
       BAD(ValueError, "multi_margin_loss: p must be 1 or 2, not 3",
           multi_margin_loss(of(1, 3), ids(0), {.p = 3})),
       BAD(ValueError, "multi_margin_loss: margin nan is not finite",
           multi_margin_loss(of(1, 3), ids(0), {.margin = NAN})),
       BAD(ShapeError, "multi_margin_loss: input must be [C] or [N, C] with C > 0, not f32[1, 0]",
           multi_margin_loss(of(1, 0), ids(0))),
       BAD(ShapeError, "multi_margin_loss: targets are i64[2] for input f32[1, 3]",
           multi_margin_loss(of(1, 3), ids(0, 0))),
       BAD(ShapeError, "multi_margin_loss: weight is f32[2] for 3 classes",
           multi_margin_loss(of(1, 3), ids(0), {.weight = of(2)})),
       BAD(DTypeError, "multi_margin_loss: targets must be i64, not f32[1]",
           multi_margin_loss(of(1, 3), of(1))),
       BAD(GradError, "multi_margin_loss: x is undefined", multi_margin_loss(Tensor(), ids(0)))}};
  for (const Form& form : forms) {
    row.samples.push_back(sample(
        form.name, {in(form.shape, Domain::distinct)},
        [=](X x) {
          MultiMarginLossOptions options{
              .p = form.p, .margin = form.margin, .reduction = form.reduction};
          if (!form.weight.empty()) {
            options.weight = to_tensor(Block({form.shape.back()}, form.weight), x[0].dtype());
          }
          const Shape targets = form.shape.size() == 1 ? Shape{} : Shape{form.shape[0]};
          return multi_margin_loss(x[0], ids(form.classes, targets), options);
        },
        [=](B x) {
          std::size_t row_at = 0;
          const Block losses(Sizes(form.shape.begin(), form.shape.end() - 1), [&](const Place& p) {
            const Index own = form.classes[row_at++];
            const Index count = form.shape.back();
            double loss = 0;
            for (Index c = 0; c < count; ++c) {
              const double gap = form.margin - x[0](with(p, x[0].rank() - 1, own)) +
                                 x[0](with(p, x[0].rank() - 1, c));
              if (c != own && gap > 0) loss += form.p == 1 ? gap : gap * gap;
            }
            const double weight =
                form.weight.empty() ? 1 : form.weight[static_cast<std::size_t>(own)];
            return weight * loss / static_cast<double>(count);
          });
          return reduced(losses, form.reduction);
        }));
  }
  return row;
}

Row margin_ranking_row() {
  const auto form = [](const std::string& name, const Sizes& shape, double margin,
                       Reduction reduction) {
    return sample(
        name,
        {in(shape, Domain::distinct), in(shape, Domain::distinct), in(shape, Domain::nonzero)},
        [=](X x) { return margin_ranking_loss(x[0], x[1], x[2], margin, reduction); },
        [=](B x) {
          const auto minus = [](double a, double b) { return a - b; };
          const auto loss = [margin](double gap, double y) {
            return std::fmax(0, margin - y * gap);
          };
          return reduced(map(map(x[0], x[1], minus), x[2], loss), reduction);
        });
  };
  return {"margin_ranking_loss",
          {form("mean", {2, 3}, 0.37, Reduction::mean), form("sum", {5}, -0.21, Reduction::sum),
           form("none", {2, 2}, 1.3, Reduction::none), form("rank 0", {}, 7, Reduction::mean),
           form("empty", {0, 3}, 1, Reduction::none)},
          {BAD(ValueError, "margin_ranking_loss: margin inf is not finite",
               margin_ranking_loss(of(2), of(2), of(2), INFINITY)),
           BAD(ShapeError, "margin_ranking_loss: x2 must have the input's shape: it is f32[3] for",
               margin_ranking_loss(of(2), of(3), of(2))),
           BAD(ShapeError, "margin_ranking_loss: y must have the input's shape: it is f32[3] for",
               margin_ranking_loss(of(2), of(2), of(3))),
           BAD(DTypeError, "margin_ranking_loss: x2 is f64[2] for input f32[2]",
               margin_ranking_loss(of(2), of<DType::f64>(2), of(2))),
           BAD(GradError, "margin_ranking_loss: y is undefined",
               margin_ranking_loss(of(2), of(2), Tensor()))}};
}

Row triplet_margin_row() {
  const auto form = [](const std::string& name, const Sizes& shape, double margin,
                       Reduction reduction) {
    return sample(
        name,
        {in(shape, Domain::distinct), in(shape, Domain::distinct), in(shape, Domain::distinct)},
        [=](X x) { return triplet_margin_loss(x[0], x[1], x[2], margin, reduction); },
        [=](B x) {
          const auto length = [&](std::size_t to, Place at) {
            double sum = 0;
            at.push_back(0);
            for (Index i = 0; i < shape.back(); ++i) {
              at.back() = i;
              const double gap = x[0](at) - x[to](at) + 1e-6;
              sum += gap * gap;
            }
            return std::sqrt(sum);
          };
          const Block losses(Sizes(shape.begin(), shape.end() - 1), [&](const Place& p) {
            return std::fmax(0, margin + length(1, p) - length(2, p));
          });
          return reduced(losses, reduction);
        });
  };
  return {"triplet_margin_loss",
          {form("mean", {3, 5}, 1.9, Reduction::mean), form("sum", {2, 3}, 2.3, Reduction::sum),
           form("none", {2, 3, 2}, 1.7, Reduction::none), form("one", {7}, 3, Reduction::mean),
           form("empty", {0, 3}, 1, Reduction::none)},
          {BAD(ValueError, "triplet_margin_loss: margin nan is not finite",
               triplet_margin_loss(of(2), of(2), of(2), NAN)),
           BAD(ShapeError, "triplet_margin_loss: positive must have the input's shape",
               triplet_margin_loss(of(2), of(3), of(2))),
           BAD(ShapeError, "triplet_margin_loss: inputs must be [.., D], not f32[]",
               triplet_margin_loss(of(), of(), of())),
           BAD(DTypeError, "triplet_margin_loss: negative is f64[2] for input f32[2]",
               triplet_margin_loss(of(2), of(2), of<DType::f64>(2))),
           BAD(GradError, "triplet_margin_loss: anchor is undefined",
               triplet_margin_loss(Tensor(), of(2), of(2)))}};
}

}  // namespace

std::vector<Row> margin_loss_rows() {
  return {hinge_embedding_row(), cosine_embedding_row(), multi_margin_row(), margin_ranking_row(),
          triplet_margin_row()};
}

}  // namespace heed::table
