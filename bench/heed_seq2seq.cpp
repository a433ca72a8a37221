// Our side of the row seq2seq.

#include "../autograd/ops/attention/attention.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "../nn/cells.h"
#include "../nn/embedding.h"
#include "../nn/gru.h"
#include "../nn/linear.h"
#include "../optim/adam.h"
#include "filled.h"
#include "protocol.h"
#include "seq2seq.h"

namespace {

using namespace heed;
using namespace bench::seq2seq;  // the sizes

class Network : public nn::Module {
 public:
  nn::Embedding& source = child<nn::Embedding>("source", kVocabulary, kEmbed);
  nn::Embedding& target = child<nn::Embedding>("target", kVocabulary, kEmbed);
  nn::GRU& encoder = child<nn::GRU>(
      "encoder", nn::GRUOptions{.input = kEmbed, .hidden = kHidden, .bidirectional = true});
  nn::Linear& start = child<nn::Linear>("start", kHidden, kHidden);
  nn::Linear& keys = child<nn::Linear>("keys", kState, kHidden);
  nn::Linear& query = child<nn::Linear>("query", kHidden, kHidden);
  nn::GRUCell& cell = child<nn::GRUCell>("cell", kDecoderInput, kHidden);
  nn::Linear& readout = child<nn::Linear>("readout", kReadoutInput, 2 * kReadout);
  nn::Linear& vocabulary = child<nn::Linear>("vocabulary", kReadout, kVocabulary);
  Tensor& v = parameter("v", zeros({kHidden}));

  // read i64[B, T], fed i64[B, steps] -> [B * steps, V]
  Tensor operator()(const Tensor& read, const Tensor& fed) {
    const auto [states, last] = encoder(source(read));  // [B, T, 2H], [2, B, H]
    const Tensor projected = keys(states);              // [B, T, H]
    const Tensor words = target(fed);                   // [B, steps, E]
    Tensor state = tanh(start(select(last, 0, 1)));
    std::vector<Tensor> inputs;
    for (Index i = 0; i < kTarget; ++i) {
      const Tensor word = select(words, 1, i);
      const Tensor asked = unsqueeze(query(state), 1);  // [B, 1, H]
      const Tensor context = squeeze(additive_attention(asked, projected, v, states), 1);
      inputs.push_back(concat({state, word, context}, 1));
      state = cell(concat({word, context}, 1), state);
    }
    const Tensor pieces = readout(flatten(stack(inputs, 1), 0, 1));  // [B * steps, 2R]
    return vocabulary(amax(reshape(pieces, {-1, kReadout, 2}), {2}));
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);

  Network network;
  bench::fill_weights(network, weights());
  const Tensor read = bench::ids({kBatch, kSource}, fill_source);
  const Tensor fed = bench::ids({kBatch, kTarget}, fill_fed);
  const Tensor wanted = bench::ids({kBatch * kTarget}, fill_wanted);
  optim::Adam adam(network.parameters(), {.lr = kLearningRate});
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = cross_entropy(network(read, fed), wanted);
    loss.backward();
    adam.step();
    return loss.item();
  });
}
