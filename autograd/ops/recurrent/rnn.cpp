#include "rnn.h"

#include "recurrent_plain.h"

namespace heed {
namespace {

using detail::RnnCell;

RnnCell cell_of(Nonlinearity nonlinearity) {
  return nonlinearity == Nonlinearity::tanh ? RnnCell::tanh : RnnCell::relu;
}

}  // namespace

RnnResult rnn(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
              const std::vector<Index>& lengths, Nonlinearity nonlinearity) {
  const auto out = detail::recurrent(cell_of(nonlinearity), x, {h0, {}}, directions, {lengths});
  return {out[0], out[1]};
}

RnnResult rnn(const Packed& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
              Nonlinearity nonlinearity) {
  const auto out = detail::recurrent(cell_of(nonlinearity), x.tokens, {h0, {}}, directions,
                                     detail::sequences_of("rnn", x));
  return {out[0], out[1]};
}

RnnResult rnn_plain(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
                    const std::vector<Index>& lengths, Nonlinearity nonlinearity) {
  const auto out =
      detail::recurrent_plain(cell_of(nonlinearity), x, {h0, {}}, directions, {lengths});
  return {out[0], out[1]};
}

}  // namespace heed
