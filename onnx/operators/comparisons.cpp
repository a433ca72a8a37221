#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "operators.h"

namespace heed::onnx {
namespace {

template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Operation binary(NodeReader& node) {
  node.inputs(2, 2);
  return one([](const std::vector<Tensor>& in, const Run&) { return kFunction(in[0], in[1]); });
}
template <Tensor (*kFunction)(const Tensor&)>
Operation unary(NodeReader& node) {
  node.inputs(1, 1);
  return of_one(kFunction);
}

Tensor equal(const Tensor& x, const Tensor& y) { return x == y; }
Tensor more(const Tensor& x, const Tensor& y) { return x > y; }
Tensor no_less(const Tensor& x, const Tensor& y) { return x >= y; }
Tensor less(const Tensor& x, const Tensor& y) { return x < y; }
Tensor no_more(const Tensor& x, const Tensor& y) { return x <= y; }

Operation where_of(NodeReader& node) {
  node.inputs(3, 3);
  return one([](const std::vector<Tensor>& in, const Run&) { return where(in[0], in[1], in[2]); });
}
Operation is_inf_of(NodeReader& node) {
  node.inputs(1, 1);
  const bool above = node.truth("detect_positive", true),
             below = node.truth("detect_negative", true);
  return of_one([=](const Tensor& x) {
    const Tensor out = isinf(x);
    return above && below ? out : above ? out & (x > 0.0) : below ? out & (x < 0.0) : out & ~out;
  });
}

}  // namespace

void add_comparisons(Makers& to) {
  to["Equal"] = binary<equal>;
  to["Greater"] = binary<more>;
  to["GreaterOrEqual"] = binary<no_less>;
  to["Less"] = binary<less>;
  to["LessOrEqual"] = binary<no_more>;
  to["And"] = binary<logical_and>;
  to["Or"] = binary<logical_or>;
  to["Xor"] = binary<logical_xor>;
  to["Not"] = unary<logical_not>;
  to["IsNaN"] = unary<isnan>;
  to["IsInf"] = is_inf_of;
  to["Where"] = where_of;
}

}  // namespace heed::onnx
