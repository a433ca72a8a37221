// Export: a module as an ONNX graph, opset 17, that any program which reads ONNX runs.
//
//   onnx::write("tagger.onnx", tagger, {{"ids", example, {"batch", "length"}}});
//
// The forward pass is run at several sizes of the named axes, odd and even, and on other numbers
// each time, and what it does is followed operator by operator: see trace.h. Sizes inside of the
// model that follow those of the inputs are computed from them in the graph; so are masks, places
// and first states. What differs between the passes and follows no known rule is refused, by an
// error that names the operator and its module: nothing is frozen in silence. A loop over an axis
// is written out, step by step, where the axis has no name.
//
// Initialisers are the module's parameters and buffers by their names, in their layouts. Recurrent
// layers become GRU, LSTM and RNN, attention its plain operators; the module is exported in
// evaluation mode. A number that is not finite in a masked place may reach further in the graph
// than it does here.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph_writer.h"
#include "model.h"

namespace heed::onnx {

struct ExportOptions {
  std::vector<std::string> outputs = {};  ///< names; "output", or "output0", "output1", .. at first
  /// Sizes that named axes must not be above, as {"length", 512}, for a model with so many places.
  std::map<std::string, Index> largest = {};
};

/// `forward` of as many tensors as there are inputs, of any sizes of their named axes that are not
/// below the examples'. It is run three times, once more for each named axis (without any twice, or
/// four times where an input is of whole numbers), and again where a part of a size, a third, say,
/// has two explanations. An example of whole numbers, ids or lengths, must hold two different ones
/// or one above 1; the runs see such as it has, in one all but the largest, in one all but the
/// smallest. Throws ValueError for what has no form in ONNX,
/// IndexError for axes beyond an example's, ValueError for names that are empty or taken, also by a
/// parameter, and for a largest size of an axis that no input has.
Model export_model(nn::Module& module, const std::vector<Input>& inputs, const Forward& forward,
                   const ExportOptions& options = {});
/// The same into a file, whole or not at all. Throws IoError, too.
void write(const std::string& path, nn::Module& module, const std::vector<Input>& inputs,
           const Forward& forward, const ExportOptions& options = {});

namespace detail {

/// What a module gives, as tensors: a result of several parts is its output, or its context.
template <class Out>
std::vector<Tensor> listed(const Out& out) {
  if constexpr (std::convertible_to<const Out&, Tensor>) {
    return {out};
  } else if constexpr (std::convertible_to<const Out&, std::vector<Tensor>>) {
    return out;
  } else if constexpr (requires { out.context; }) {
    return {out.context};
  } else {
    return {out.output};
  }
}

}  // namespace detail

/// A module that is called with one tensor; of what it gives, the tensor, or its `output`, or its
/// `context`.
template <class M>
requires std::derived_from<M, nn::Module> && std::invocable<M&, const Tensor&>
void write(const std::string& path, M& module, const std::vector<Input>& inputs,
           const ExportOptions& options = {}) {
  write(
      path, module, inputs,
      [&](const std::vector<Tensor>& x) { return detail::listed(module(x.at(0))); }, options);
}
/// The same of two tensors.
template <class M>
requires std::derived_from<M, nn::Module> && std::invocable<M&, const Tensor&, const Tensor&> &&
    (!std::invocable<M&, const Tensor&>)void write(const std::string& path, M& module,
                                                   const std::vector<Input>& inputs,
                                                   const ExportOptions& options = {}) {
  write(
      path, module, inputs,
      [&](const std::vector<Tensor>& x) { return detail::listed(module(x.at(0), x.at(1))); },
      options);
}

}  // namespace heed::onnx
