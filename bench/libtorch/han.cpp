// The hierarchical attention network as a user of libtorch writes it.
#include "../han.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::han;
using torch::Tensor;

struct AttentionPoolingImpl : torch::nn::Module {
  explicit AttentionPoolingImpl(std::int64_t state) {
    W = register_parameter("W", torch::empty({state, state}));
    b = register_parameter("b", torch::empty({state}));
    c = register_parameter("c", torch::empty({state}));
  }
  // h [N, T, 2H] -> [N, 2H]
  Tensor forward(const Tensor& h) {
    const Tensor scores = torch::matmul(torch::tanh(torch::linear(h, W, b)), c);  // [N, T]
    return torch::bmm(torch::softmax(scores, 1).unsqueeze(1), h).squeeze(1);
  }
  Tensor W, b, c;
};
TORCH_MODULE(AttentionPooling);

torch::nn::GRU encoder(std::int64_t input, std::int64_t hidden) {
  return torch::nn::GRU(torch::nn::GRUOptions(input, hidden).batch_first(true).bidirectional(true));
}

struct Network : torch::nn::Module {
  explicit Network(const Sizes& given) : sizes(given) {
    register_module("words", words);
    register_module("word_encoder", word_encoder);
    register_module("word_attention", word_attention);
    register_module("sentence_encoder", sentence_encoder);
    register_module("sentence_attention", sentence_attention);
    register_module("classifier", classifier);
  }
  // ids [B, S, T] -> [B, classes]
  Tensor forward(const Tensor& ids) {
    const Tensor embedded = words(ids.reshape({sizes.documents * sizes.sentences, sizes.words}));
    const Tensor sentences = word_attention(std::get<0>(word_encoder(embedded)))
                                 .reshape({sizes.documents, sizes.sentences, sizes.state()});
    return classifier(sentence_attention(std::get<0>(sentence_encoder(sentences))));
  }
  Sizes sizes;
  torch::nn::Embedding words{sizes.vocabulary, sizes.embed};
  torch::nn::GRU word_encoder = encoder(sizes.embed, sizes.hidden),
                 sentence_encoder = encoder(sizes.state(), sizes.hidden);
  AttentionPooling word_attention{sizes.state()}, sentence_attention{sizes.state()};
  torch::nn::Linear classifier{sizes.state(), sizes.classes};
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);

  const Sizes sizes = sizes_of(options.row);
  Network network(sizes);
  bench::fill_weights(network, weights(sizes));
  const Tensor ids = bench::ids({sizes.documents, sizes.sentences, sizes.words},
                                [&](std::int64_t* to) { fill_ids(sizes, to); });
  const Tensor labels =
      bench::ids({sizes.documents}, [&](std::int64_t* to) { fill_labels(sizes, to); });

  torch::optim::Adam adam(network.parameters(), torch::optim::AdamOptions(kLearningRate));
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = torch::cross_entropy_loss(network.forward(ids), labels);
    loss.backward();
    adam.step();
    return loss.item<double>();
  });
}
