// A trace is what one forward pass did: every operator with what went in, what it said of itself
// (core/traced.h) and what came out, in order. What no result needs is left out. Numbers that
// neither came in nor belong to the module nor were made by a traced operator stand as constants.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"
#include "../core/traced.h"
#include "../nn/module.h"

namespace heed::onnx {

/// What is exported: a function of tensors.
using Forward = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct TracedValue {
  enum class Kind { input, parameter, constant, result };
  Kind kind = Kind::constant;
  std::string name;  ///< of a parameter or buffer
  Index place = 0;   ///< of an input
  Array array;       ///< as it was in this pass
};

struct TracedCall {
  std::string op;                                         ///< "softmax"
  std::string path;                                       ///< of the module, "encoder.layers.0"
  std::vector<Index> inputs;                              ///< values; -1: left out
  std::vector<Index> outputs;                             ///< values; -1: nobody reads it
  std::map<std::string, Said::Value> said;                ///< numbers
  std::vector<std::pair<std::string, Index>> operands{};  ///< arrays that were said, as values
};

struct Trace {
  std::vector<TracedValue> values;  ///< in the order in which they are met
  std::vector<TracedCall> calls;
  std::vector<Index> results;
  std::vector<Array> inputs;
};

/// One pass, without gradients. Throws ValueError where another observer is at work, and what
/// `forward` throws.
Trace trace(const nn::Module& module, const Forward& forward, const std::vector<Tensor>& inputs);

}  // namespace heed::onnx
