// Rows chain and tiny on libtorch.
#include "../overhead.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using torch::Tensor;

int run_chain(const bench::Options& options) {
  using namespace bench::chain;
  std::vector<Tensor> leaves = {bench::numbers({kSize}, fill_start).requires_grad_(),
                                bench::numbers({kSize}, fill_step).requires_grad_()};
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        Tensor y = leaves[0];
        for (std::int64_t i = 0; i < kAdds; ++i) y = y + leaves[1];
        const Tensor loss = torch::sum(y);
        loss.backward();
        return loss.item<double>();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}

int run_tiny(const bench::Options& options) {
  using namespace bench::tiny;
  std::vector<Tensor> leaves = {bench::numbers({1, kInput}, fill_input).requires_grad_(),
                                bench::numbers({kInput, kInner}, fill_first).requires_grad_(),
                                bench::numbers({kInner, kOutput}, fill_second).requires_grad_()};
  return bench::serve(
      options,
      [&] {
        double last = 0;
        for (std::int64_t i = 0; i < kTimes; ++i) {
          bench::drop_gradients(leaves);
          const Tensor inner = torch::tanh(torch::matmul(leaves[0], leaves[1]));
          const Tensor loss = torch::sum(torch::tanh(torch::matmul(inner, leaves[2])));
          loss.backward();
          last = loss.item<double>();
        }
        return last;
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  return options.row == "chain" ? run_chain(options) : run_tiny(options);
}
