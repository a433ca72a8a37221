// Our side of the rows han: the example's model without dropout, with the weights of han.h.

#include "../autograd/ops/losses/cross_entropy.h"
#include "../core/error.h"
#include "../core/parallel.h"
#include "../examples/document_classifier/model.h"
#include "../optim/adam.h"
#include "han.h"
#include "profile.h"
#include "protocol.h"

namespace {

using namespace heed;
namespace han = bench::han;

// The parameters in the order of han::weights().
std::vector<Tensor> in_order(document_classifier::HierarchicalAttention& model) {
  const auto state = model.state_dict();
  const auto named = [&](const std::string& name) {
    for (const auto& [key, tensor] : state) {
      if (key == name) return tensor;
    }
    throw Error("no parameter " + name);
  };
  std::vector<Tensor> out{named("embedding.weight")};
  for (int level = 0; level < 2; ++level) {
    const std::string encoder = level == 0 ? "words." : "sentences.";
    for (const std::string direction : {"", "_reverse"}) {
      for (const char* part : {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"}) {
        out.push_back(named(encoder + part + direction));
      }
    }
    const std::string attend = "attend.levels." + std::to_string(level) + ".";
    out.push_back(named(attend + "projection.weight"));
    out.push_back(named(attend + "projection.bias"));
    out.push_back(named(attend + "context_vector"));
  }
  out.push_back(named("classifier.weight"));
  out.push_back(named("classifier.bias"));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  const han::Sizes sizes = han::sizes_of(options.row);
  document_classifier::ModelOptions of_model;
  of_model.vocabulary = sizes.vocabulary;
  of_model.classes = sizes.classes;
  of_model.embedding = sizes.embed;
  of_model.hidden = sizes.hidden;
  of_model.dropout = 0;
  document_classifier::HierarchicalAttention model(of_model);
  std::vector<Tensor> weights = in_order(model);
  const bench::Weights given = han::weights(sizes);
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Array numbers = Array::empty(weights[i].shape(), DType::f32);
    bench::fill(numbers.mutable_data<float>(), numbers.numel(), seed++, given[i].bound);
    weights[i].copy_from(numbers);
  }
  data::DocumentBatch batch;
  batch.words = Array::empty({sizes.documents * sizes.sentences, sizes.words}, DType::i64);
  han::fill_ids(sizes, batch.words.mutable_data<std::int64_t>());
  batch.labels = Array::empty({sizes.documents}, DType::i64);
  han::fill_labels(sizes, batch.labels.mutable_data<std::int64_t>());
  batch.word_counts.assign(static_cast<std::size_t>(sizes.documents * sizes.sentences),
                           sizes.words);
  batch.sentence_counts.assign(static_cast<std::size_t>(sizes.documents), sizes.sentences);
  optim::Adam adam(model.parameters(), {.lr = han::kLearningRate});
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = cross_entropy(model(batch).logits, batch.labels);
    loss.backward();
    adam.step();
    return loss.item();
  });
}
