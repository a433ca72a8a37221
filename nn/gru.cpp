#include "gru.h"

namespace heed::nn {

GRU::GRU(const GRUOptions& options) : Recurrent("GRU", kernels::RnnCell::gru, options) {}

RnnResult GRU::operator()(const Tensor& x, const std::vector<Index>& lengths,
                          const Tensor& h0) const {
  const Scope scope(*this);
  const std::vector<Tensor> results = run(x, {lengths}, {h0, {}});
  return {forwarded(results[0]), results[1]};
}

RnnResult GRU::operator()(const Packed& x, const Tensor& h0) const {
  const Scope scope(*this);
  const std::vector<Tensor> results = run(x, {h0, {}});
  return {forwarded(results[0]), results[1]};
}

}  // namespace heed::nn
