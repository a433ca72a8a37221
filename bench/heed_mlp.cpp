// The network of mlp.h.
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../core/parallel.h"
#include "../nn/linear.h"
#include "../optim/adam.h"
#include "filled.h"
#include "mlp.h"
#include "protocol.h"

namespace {

using namespace heed;
namespace mlp = bench::mlp;

struct Network : nn::Module {
  nn::Linear& hidden = child<nn::Linear>("hidden", mlp::kInput, mlp::kInner);
  nn::Linear& out = child<nn::Linear>("out", mlp::kInner, mlp::kOutput);
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  Network network;
  bench::fill_weights(network, mlp::weights());
  const Tensor pictures = bench::numbers({mlp::kBatch, mlp::kInput}, mlp::fill_pictures);
  const Tensor labels = bench::ids({mlp::kBatch}, mlp::fill_labels);
  optim::Adam adam(network.parameters(), {.lr = mlp::kLearningRate});
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = cross_entropy(network.out(relu(network.hidden(pictures))), labels);
    loss.backward();
    adam.step();
    return loss.item();
  });
}
