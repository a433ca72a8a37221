#include "lstm.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::nn {

LSTM::LSTM(const LSTMOptions& options) : Recurrent("LSTM", kernels::RnnCell::lstm, options) {}

LstmResult LSTM::operator()(const Tensor& x, const std::vector<Index>& lengths,
                            const LstmState& start) const {
  const Scope scope(*this);
  const std::vector<Tensor> results = run(x, {lengths}, start);
  return {forwarded(results[0]), results[1], results[2]};
}

LstmResult LSTM::operator()(const Tensor& x, std::initializer_list<Tensor> start) const {
  if (start.size() == 0) return (*this)(x, LstmState{});
  if (start.size() != 2) {
    throw ValueError(fmt::format("LSTM: the start is h0 and c0, not {} tensors", start.size()));
  }
  return (*this)(x, LstmState{*start.begin(), *(start.begin() + 1)});
}

LstmResult LSTM::operator()(const Packed& x, const LstmState& start) const {
  const Scope scope(*this);
  const std::vector<Tensor> results = run(x, start);
  return {forwarded(results[0]), results[1], results[2]};
}

}  // namespace heed::nn
