// Bahdanau's translation model as a user of libtorch writes it.
#include "../seq2seq.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::seq2seq;  // the sizes
using torch::Tensor;

struct Network : torch::nn::Module {
  Network() {
    register_module("source", source);
    register_module("target", target);
    register_module("encoder", encoder);
    register_module("start", start);
    register_module("keys", keys);
    register_module("query", query);
    register_module("cell", cell);
    register_module("readout", readout);
    register_module("vocabulary", vocabulary);
    v = register_parameter("v", torch::empty({kHidden}));
  }
  // read i64[B, T], fed i64[B, steps] -> [B * steps, V]
  Tensor forward(const Tensor& read, const Tensor& fed) {
    const auto [states, last] = encoder(source(read));  // [B, T, 2H], [2, B, H]
    const Tensor projected = keys(states);              // [B, T, H]
    const std::vector<Tensor> words = target(fed).unbind(1);
    Tensor state = torch::tanh(start(last[1]));
    std::vector<Tensor> inputs;
    for (const Tensor& word : words) {
      const Tensor hidden = torch::tanh(projected + query(state).unsqueeze(1));  // [B, T, H]
      const Tensor weights = torch::softmax(torch::matmul(hidden, v), 1);        // [B, T]
      const Tensor context = torch::bmm(weights.unsqueeze(1), states).squeeze(1);
      inputs.push_back(torch::cat({state, word, context}, 1));
      state = cell(torch::cat({word, context}, 1), state);
    }
    const Tensor pieces = readout(torch::stack(inputs, 1).flatten(0, 1));  // [B * steps, 2R]
    return vocabulary(torch::amax(pieces.reshape({-1, kReadout, 2}), 2));
  }
  torch::nn::Embedding source{kVocabulary, kEmbed}, target{kVocabulary, kEmbed};
  torch::nn::GRU encoder{
      torch::nn::GRUOptions(kEmbed, kHidden).batch_first(true).bidirectional(true)};
  torch::nn::Linear start{kHidden, kHidden}, keys{kState, kHidden}, query{kHidden, kHidden};
  torch::nn::GRUCell cell{kDecoderInput, kHidden};
  torch::nn::Linear readout{kReadoutInput, 2 * kReadout}, vocabulary{kReadout, kVocabulary};
  Tensor v;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);

  Network network;
  bench::fill_weights(network, weights());
  const Tensor read = bench::ids({kBatch, kSource}, fill_source);
  const Tensor fed = bench::ids({kBatch, kTarget}, fill_fed);
  const Tensor wanted = bench::ids({kBatch * kTarget}, fill_wanted);
  torch::optim::Adam adam(network.parameters(), torch::optim::AdamOptions(kLearningRate));
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = torch::cross_entropy_loss(network.forward(read, fed), wanted);
    loss.backward();
    adam.step();
    return loss.item<double>();
  });
}
