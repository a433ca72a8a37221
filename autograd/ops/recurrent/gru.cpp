#include "gru.h"

#include "recurrent_plain.h"

namespace heed {

RnnResult gru(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
              const std::vector<Index>& lengths) {
  const auto out = detail::recurrent(detail::RnnCell::gru, x, {h0, {}}, directions, {lengths});
  return {out[0], out[1]};
}

RnnResult gru(const Packed& x, const Tensor& h0, const std::vector<RnnWeights>& directions) {
  const auto out = detail::recurrent(detail::RnnCell::gru, x.tokens, {h0, {}}, directions,
                                     detail::sequences_of("gru", x));
  return {out[0], out[1]};
}

RnnResult gru_plain(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
                    const std::vector<Index>& lengths) {
  const auto out =
      detail::recurrent_plain(detail::RnnCell::gru, x, {h0, {}}, directions, {lengths});
  return {out[0], out[1]};
}

}  // namespace heed
