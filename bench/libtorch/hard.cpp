// Hard and soft attention as a user of libtorch writes them.
#include "../hard.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::hard;  // the sizes
using torch::Tensor;
namespace F = torch::nn::functional;

struct ScoreImpl : torch::nn::Module {
  ScoreImpl() {
    register_module("query_projection", query_projection);
    register_module("key_projection", key_projection);
    v = register_parameter("score_vector", torch::empty({kHidden}));
  }
  // q [B, W], a [B, L, W] -> [B, L]
  Tensor forward(const Tensor& q, const Tensor& a) {
    return torch::matmul(torch::tanh(query_projection(q).unsqueeze(1) + key_projection(a)), v);
  }
  torch::nn::Linear query_projection{torch::nn::LinearOptions(kWidth, kHidden).bias(false)};
  torch::nn::Linear key_projection{torch::nn::LinearOptions(kWidth, kHidden).bias(false)};
  Tensor v;
};
TORCH_MODULE(Score);

struct Network : torch::nn::Module {
  Network() {
    register_module("score", score);
    register_module("classifier", classifier);
  }
  Tensor soft(const Tensor& q, const Tensor& a, const Tensor& labels) {
    const Tensor weights = torch::softmax(score(q, a), 1);
    return F::cross_entropy(classifier(torch::bmm(weights.unsqueeze(1), a).squeeze(1)), labels);
  }
  Tensor hard(const Tensor& q, const Tensor& a, const Tensor& labels) {
    const Tensor logs = torch::log_softmax(score(q, a), 1);                         // [B, L]
    const Tensor places = torch::multinomial(logs.detach().exp(), kSamples, true);  // [B, K]
    const Tensor rows = torch::arange(kBatch).unsqueeze(1);
    const Tensor context = a.index({rows, places});  // [B, K, W]
    const Tensor costs =
        F::cross_entropy(classifier(context).flatten(0, 1), labels.repeat_interleave(kSamples),
                         F::CrossEntropyFuncOptions().reduction(torch::kNone))
            .reshape({kBatch, kSamples});
    const Tensor own = costs.detach();
    const Tensor others = (own.sum(1, true) - own) / (kSamples - 1);
    const Tensor score_part = ((own - others) * logs.gather(1, places)).mean();
    return costs.mean() + score_part - score_part.detach();
  }
  Score score;
  torch::nn::Linear classifier{kWidth, kClasses};
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  torch::manual_seed(1);

  Network network;
  bench::fill_weights(network, kWeights);
  const Tensor a = bench::numbers({kBatch, kPlaces, kWidth}, fill_annotations);
  const Tensor q = bench::numbers({kBatch, kWidth}, fill_queries);
  const Tensor labels = bench::ids({kBatch}, fill_labels);
  torch::optim::Adam adam(network.parameters(), torch::optim::AdamOptions(kLearningRate));
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss =
        options.row == "soft" ? network.soft(q, a, labels) : network.hard(q, a, labels);
    loss.backward();
    adam.step();
    return loss.item<double>();
  });
}
