// Operators that read or write at places.
#include "step.h"

namespace heed::onnx {
namespace {

Attribute axis_of(const Step& step) { return attribute("axis", std::int64_t{step.axis("axis")}); }

void embedding(const Step& step) {
  step.out(step.to.node("Gather", {step.in(0), step.operand("ids")}));
}

void index_select(const Step& step) {
  step.out(step.to.node("Gather", {step.in(0), step.operand("index")}, {axis_of(step)}));
}

void gather(const Step& step) {
  step.out(step.to.node("GatherElements", {step.in(0), step.operand("index")}, {axis_of(step)}));
}

void scatter_add(const Step& step) {
  step.out(step.to.node("ScatterElements", {step.in(0), step.operand("index"), step.in(1)},
                        {axis_of(step), attribute("reduction", std::string("add"))}));
}

// The index of every element: that of its place on the axis.
void index_add(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  std::vector<Index> others;
  for (Index at = 0; at < step.rank(); ++at) {
    if (at != axis) others.push_back(at);
  }
  std::string index = step.operand("index");
  if (!others.empty()) index = to.node("Unsqueeze", {index, to.whole(others)});
  const std::string shape = to.node("Shape", {step.in(1)});
  step.out(to.node("ScatterElements", {step.in(0), to.node("Expand", {index, shape}), step.in(1)},
                   {axis_of(step), attribute("reduction", std::string("add"))}));
}

void index_put(const Step& step) {
  GraphWriter& to = step.to;
  const std::string rows = to.node("Unsqueeze", {step.operand("index"), to.whole({1})});
  step.out(to.node("ScatterND", {step.in(0), rows, step.in(1)}));
}

void one_hot(const Step& step) {
  GraphWriter& to = step.to;
  const DType dtype = step.result().dtype();
  // ONNX has none of bool.
  const DType made = dtype == DType::boolean ? DType::f32 : dtype;
  const std::string values = to.constant(Array::from(std::vector<double>{0, 1}).to(made));
  const std::string out =
      to.node("OneHot", {step.in(0), to.whole({step.number("classes")}), values});
  step.out(made == dtype ? out : to.cast(out, dtype));
}

void top(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  const std::vector<Index> counts = step.passes("count");
  const std::string count = to.extent(counts, "how many it takes");
  const auto found = [&](const std::string& x, Index largest) {
    return to.nodes(
        "TopK", {x, count}, 2,
        {attribute("axis", std::int64_t{axis}), attribute("largest", std::int64_t{largest}),
         attribute("sorted", std::int64_t{1})});
  };
  const std::string places = found(step.in(0), step.number("largest"))[1];
  // In the order they stand in, which ONNX' own word for unsorted does not promise.
  step.out(step.number("sorted") != 0 ? places : found(places, 0)[0]);
}

}  // namespace

void add_indexing(Writers& to) {
  to["embedding"] = embedding;
  to["index_select"] = index_select;
  to["gather"] = gather;
  to["scatter_add"] = scatter_add;
  to["index_add"] = index_add;
  to["index_put"] = index_put;
  to["one_hot"] = one_hot;
  to["topk"] = top;
}

}  // namespace heed::onnx
