#include "flops.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace heed::train {
namespace {

// Of numbers as they are: nothing is computed.
const std::set<std::string_view> kMoves = {
    "reshape",      "transpose",       "permute",   "expand",
    "slice",        "slice_scatter",   "select",    "squeeze",
    "unsqueeze",    "concat",          "stack",     "split",
    "to",           "clone",           "flip",      "pad",
    "unfold",       "diagonal",        "embedding", "diagonal_scatter",
    "index_select", "gather",          "index_put", "pack",
    "unpack",       "repeat_segments", "checkpoint"};

double elements(const Array& array) {
  return array.defined() ? static_cast<double>(array.numel()) : 0;
}
double bytes_of(const Array& array) {
  return array.defined() ? elements(array) * static_cast<double>(size_of(array.dtype())) : 0;
}
double size(const Array& array, Index axis) { return static_cast<double>(array.size(axis)); }
double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

bool is_view(const Call& call) {
  return !call.results.empty() &&
         std::all_of(call.results.begin(), call.results.end(), [&](const Array& result) {
           return std::any_of(call.inputs.begin(), call.inputs.end(), [&](const Array& input) {
             return input.defined() && result.defined() && input.shares_storage(result);
           });
         });
}

const Array& input(const Call& call, std::size_t i) {
  static const Array none;
  return i < call.inputs.size() ? call.inputs[i] : none;
}

// One product for the result, and one for the gradient of each of its first two operands; the third
// is added.
void count_product(CallCost& cost, const Call& call, double multiplied) {
  const double product = 2 * multiplied, out = elements(call.results[0]);
  cost.forward.flops = product + (input(call, 2).defined() ? out : 0);
  for (std::size_t i = 0; i < cost.inputs.size(); ++i) cost.inputs[i].flops = i < 2 ? product : out;
}

// q [.., Q, D], k [.., K, D], v [.., K, Dv] -> context [.., Q, Dv]
void count_attention(CallCost& cost, const Call& call) {
  const Array &q = input(call, 0), &v = input(call, 3), &context = call.results[0];
  const double D = size(q, -1), Dv = size(v, -1);
  const double scores = ratio(elements(context), Dv) * size(v, -2);
  if (input(call, 2).defined()) {  // a sum, its tanh, and its product with the vector
    cost.forward.flops = scores * (4 * D + 2 * Dv);
    cost.shared.flops = 3 * cost.forward.flops;
  } else {
    cost.forward.flops = scores * 2 * (D + Dv);
    cost.shared.flops = scores * 2 * (3 * D + 2 * Dv);
  }
}

// x [B, T, I] or [N, I], h0, c0, then w_ih [G H, I], w_hh [G H, H], b_ih, b_hh of each direction.
void count_recurrent(CallCost& cost, const Call& call) {
  const double steps = ratio(elements(input(call, 0)), size(input(call, 0), -1));
  double multiplied = 0;
  for (std::size_t i = 3; i < call.inputs.size(); i += 4) {
    multiplied += elements(input(call, i)) + elements(input(call, i + 1));
  }
  cost.forward.flops = 2 * steps * multiplied;
  cost.shared.flops = 2 * cost.forward.flops;
}

void count_elements(CallCost& cost, const Call& call) {
  double most = 0;
  for (const Array& result : call.results) most = std::max(most, elements(result));
  for (const Array& each : call.inputs) most = std::max(most, elements(each));
  cost.forward.flops = most;
  for (std::size_t i = 0; i < cost.inputs.size(); ++i) {
    cost.inputs[i].flops = elements(call.inputs[i]);
  }
}

void count(CallCost& cost, const Call& call) {
  const std::string_view op = call.op;
  if (kMoves.contains(op) || call.results.empty()) return;
  const Array& out = call.results[0];
  if (op == "matmul" || op == "linear") {
    count_product(cost, call, elements(out) * size(input(call, 0), -1));
  } else if (op == "conv2d") {
    const Array& weight = input(call, 1);
    count_product(cost, call, elements(out) * ratio(elements(weight), size(weight, 0)));
  } else if (op == "conv2d_input_grad") {
    const Array &weight = input(call, 0), &g = input(call, 1);
    count_product(cost, call, elements(g) * ratio(elements(weight), size(weight, 0)));
  } else if (op == "conv2d_weight_grad") {
    const Array& g = input(call, 1);
    count_product(cost, call, elements(g) * ratio(elements(out), size(out, 0)));
  } else if (op == "dot_attention" || op == "additive_attention") {
    count_attention(cost, call);
  } else if ((op == "gru" || op == "lstm" || op == "rnn") && call.inputs.size() >= 7) {
    count_recurrent(cost, call);
  } else {
    count_elements(cost, call);
  }
}

}  // namespace

CallCost cost_of(const Call& call) {
  CallCost cost;
  cost.inputs.resize(call.inputs.size());
  count(cost, call);
  if (is_view(call)) return cost;
  for (const Array& result : call.results) cost.shared.bytes += bytes_of(result);
  cost.forward.bytes = cost.shared.bytes;
  for (std::size_t i = 0; i < cost.inputs.size(); ++i) {
    cost.inputs[i].bytes = bytes_of(call.inputs[i]);
    cost.forward.bytes += cost.inputs[i].bytes;
  }
  return cost;
}

}  // namespace heed::train
