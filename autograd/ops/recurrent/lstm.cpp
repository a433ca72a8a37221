#include "lstm.h"

#include "recurrent_plain.h"

namespace heed {

LstmResult lstm(const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
                const std::vector<Index>& lengths) {
  const auto out = detail::recurrent(detail::RnnCell::lstm, x, start, directions, {lengths});
  return {out[0], out[1], out[2]};
}

LstmResult lstm(const Packed& x, const LstmState& start,
                const std::vector<RnnWeights>& directions) {
  const auto out = detail::recurrent(detail::RnnCell::lstm, x.tokens, start, directions,
                                     detail::sequences_of("lstm", x));
  return {out[0], out[1], out[2]};
}

LstmResult lstm_plain(const Tensor& x, const LstmState& start,
                      const std::vector<RnnWeights>& directions,
                      const std::vector<Index>& lengths) {
  const auto out = detail::recurrent_plain(detail::RnnCell::lstm, x, start, directions, {lengths});
  return {out[0], out[1], out[2]};
}

}  // namespace heed
