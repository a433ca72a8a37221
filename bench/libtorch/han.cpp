// The hierarchical attention network as a user of libtorch writes it.
#include "../han.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::han;  // the sizes
using torch::Tensor;

struct AttentionPoolingImpl : torch::nn::Module {
  AttentionPoolingImpl() {
    W = register_parameter("W", torch::empty({kState, kState}));
    b = register_parameter("b", torch::empty({kState}));
    c = register_parameter("c", torch::empty({kState}));
  }
  // h [N, T, 2H] -> [N, 2H]
  Tensor forward(const Tensor& h) {
    const Tensor scores = torch::matmul(torch::tanh(torch::linear(h, W, b)), c);  // [N, T]
    return torch::bmm(torch::softmax(scores, 1).unsqueeze(1), h).squeeze(1);
  }
  Tensor W, b, c;
};
TORCH_MODULE(AttentionPooling);

torch::nn::GRU encoder(std::int64_t input) {
  return torch::nn::GRU(
      torch::nn::GRUOptions(input, kHidden).batch_first(true).bidirectional(true));
}

struct Network : torch::nn::Module {
  Network() {
    register_module("words", words);
    register_module("word_encoder", word_encoder);
    register_module("word_attention", word_attention);
    register_module("sentence_encoder", sentence_encoder);
    register_module("sentence_attention", sentence_attention);
    register_module("classifier", classifier);
  }
  // ids [B, S, T] -> [B, classes]
  Tensor forward(const Tensor& ids) {
    const Tensor embedded = words(ids.reshape({kDocuments * kSentences, kWords}));
    const Tensor sentences = word_attention(std::get<0>(word_encoder(embedded)))
                                 .reshape({kDocuments, kSentences, kState});
    return classifier(sentence_attention(std::get<0>(sentence_encoder(sentences))));
  }
  torch::nn::Embedding words{kVocabulary, kEmbed};
  torch::nn::GRU word_encoder = encoder(kEmbed), sentence_encoder = encoder(kState);
  AttentionPooling word_attention, sentence_attention;
  torch::nn::Linear classifier{kState, kClasses};
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);

  Network network;
  bench::fill_weights(network, kWeights);
  const Tensor ids = bench::ids({kDocuments, kSentences, kWords}, fill_ids);
  const Tensor labels = bench::ids({kDocuments}, fill_labels);

  torch::optim::Adam adam(network.parameters(), torch::optim::AdamOptions(kLearningRate));
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = torch::cross_entropy_loss(network.forward(ids), labels);
    loss.backward();
    adam.step();
    return loss.item<double>();
  });
}
