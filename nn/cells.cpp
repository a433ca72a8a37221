#include "cells.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

// The first parameter's rows, which all of them have: sizes are checked before anything is drawn.
Index checked_rows(const char* name, Index gates, Index input, Index hidden) {
  if (input < 1 || hidden < 1) {
    throw ValueError(
        fmt::format("{}: input {} and hidden {} must be positive", name, input, hidden));
  }
  return checked_mul(name, gates, hidden);
}

Tensor begin(const Shape& shape, Index hidden, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

}  // namespace

RecurrentCell::RecurrentCell(const char* name, Index gates, Index input, Index hidden,
                             bool with_bias, DType dtype)
    : weight_ih(parameter("weight_ih",
                          begin({checked_rows(name, gates, input, hidden), input}, hidden, dtype))),
      weight_hh(parameter("weight_hh", begin({gates * hidden, hidden}, hidden, dtype))),
      bias_ih(parameter("bias_ih", with_bias ? begin({gates * hidden}, hidden, dtype) : Tensor())),
      bias_hh(parameter("bias_hh", with_bias ? begin({gates * hidden}, hidden, dtype) : Tensor())) {
  forwards_always();
}

RNNCell::RNNCell(Index input, Index hidden, bool with_bias, Nonlinearity nonlinearity, DType dtype)
    : RecurrentCell("RNNCell", 1, input, hidden, with_bias, dtype), nonlinearity_(nonlinearity) {}

Tensor RNNCell::operator()(const Tensor& x, const Tensor& h) const {
  return forwarded(rnn_cell(x, h, weights(), nonlinearity_));
}

GRUCell::GRUCell(Index input, Index hidden, bool with_bias, DType dtype)
    : RecurrentCell("GRUCell", 3, input, hidden, with_bias, dtype) {}

Tensor GRUCell::operator()(const Tensor& x, const Tensor& h) const {
  return forwarded(gru_cell(x, h, weights()));
}

LSTMCell::LSTMCell(Index input, Index hidden, bool with_bias, DType dtype)
    : RecurrentCell("LSTMCell", 4, input, hidden, with_bias, dtype) {}

LstmState LSTMCell::operator()(const Tensor& x, const LstmState& state) const {
  LstmState next = lstm_cell(x, state, weights());
  next.h = forwarded(std::move(next.h));
  return next;
}

}  // namespace heed::nn
