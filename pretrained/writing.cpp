#include "writing.h"

#include <algorithm>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"

namespace heed::pretrained {

std::vector<Index> write(const DecoderOnly& model, std::vector<Index> prompt,
                         const WritingOptions& options, Generator& generator,
                         const std::function<void(Index before, Index token)>& tell) {
  if (prompt.empty()) throw ValueError("write: the prompt has no token");
  const NoGrad scope;
  DecoderOnly::State state;
  std::vector<Index> out = std::move(prompt), fresh = out;
  const Index length = std::min(options.length, model.options().context);
  while (std::ssize(out) < length) {
    const Tensor scores =
        select(model.step(Array::from(fresh, Shape{1, std::ssize(fresh)}), state), 1, -1);
    const Index token =
        nn::sample(scores.array().to(DType::f64).to_vector<double>(), options.choice, generator);
    if (token == options.end) break;
    if (tell) tell(out.back(), token);
    out.push_back(token);
    fresh = {token};
  }
  return out;
}

}  // namespace heed::pretrained
