// Our side of the rows gru and lstm.

#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../core/parallel.h"
#include "../nn/gru.h"
#include "../nn/lstm.h"
#include "filled.h"
#include "protocol.h"
#include "recurrent.h"

namespace {

using namespace heed;
using namespace bench::recurrent;

template <class Layer>
int run(const bench::Options& options, std::int64_t gates) {
  Layer layer({.input = kInput, .hidden = kHidden});
  bench::fill_weights(layer, weights(gates));
  Tensor x = bench::numbers({kBatch, kSteps, kInput}, fill_input).set_requires_grad();
  const Tensor block = bench::numbers({kBatch, kSteps, kHidden}, fill_block);
  std::vector<Tensor> leaves = layer.parameters();
  leaves.push_back(x);
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        const Tensor loss = sum(layer(x).output * block);
        loss.backward();
        return loss.item();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  return options.row == "gru" ? run<nn::GRU>(options, kGruGates)
                              : run<nn::LSTM>(options, kLstmGates);
}
