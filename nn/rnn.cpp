#include "rnn.h"

namespace heed::nn {
namespace {

RecurrentOptions base(const RNNOptions& options) {
  return {.input = options.input,
          .hidden = options.hidden,
          .layers = options.layers,
          .bidirectional = options.bidirectional,
          .bias = options.bias,
          .dropout = options.dropout,
          .dtype = options.dtype};
}

kernels::RnnCell cell_of(const RNNOptions& options) {
  return options.nonlinearity == Nonlinearity::tanh ? kernels::RnnCell::tanh
                                                    : kernels::RnnCell::relu;
}

}  // namespace

RNN::RNN(const RNNOptions& options)
    : Recurrent("RNN", cell_of(options), base(options)), options_(options) {}

RnnResult RNN::operator()(const Tensor& x, const std::vector<Index>& lengths,
                          const Tensor& h0) const {
  const Scope scope(*this);
  const std::vector<Tensor> results = run(x, {lengths}, {h0, {}});
  return {forwarded(results[0]), results[1]};
}

RnnResult RNN::operator()(const Packed& x, const Tensor& h0) const {
  const Scope scope(*this);
  const std::vector<Tensor> results = run(x, {h0, {}});
  return {forwarded(results[0]), results[1]};
}

}  // namespace heed::nn
