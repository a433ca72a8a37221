// Our side of the rows bahdanau, translator, greedy, greedy_int8 and beam: the example's models,
// trained as its trainer does and started as its decoding does.

#include "../autograd/grad_mode.h"
#include "../autograd/ops/index/index.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"
#include "../core/parallel.h"
#include "../examples/translation/batches.h"
#include "../examples/translation/tables.h"
#include "../nn/beam_search.h"
#include "../nn/int8.h"
#include "../optim/adam.h"
#include "../optim/clip.h"
#include "filled.h"
#include "protocol.h"
#include "translation.h"

namespace {

using namespace heed;
using namespace bench::translation;  // the options
namespace bahdanau = bench::bahdanau;
namespace translator = bench::translator;
using Model = ::translation::Translator;

void fill(Model& model, const bench::Weights& weights) {
  const NoGrad scope;
  const auto parameters = model.named_parameters();
  if (parameters.size() != weights.size()) throw Error("a parameter without numbers");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bench::Weight& weight = weights[i];
    auto [name, tensor] = parameters[i];
    if (name != weight.name) throw Error(name + " stands where " + weight.name + " should");
    tensor.copy_from(bench::numbers(tensor.shape(), [&](float* to) {
      bench::fill(to, weight.count(), i + 1, weight.bound, weight.center);
    }));
  }
}

std::unique_ptr<Model> make_bahdanau() {
  auto model = ::translation::make_translator({.model = "bahdanau",
                                               .source_words = bahdanau::kSourceWords,
                                               .target_words = bahdanau::kTargetWords,
                                               .width = bahdanau::kWidth,
                                               .hidden = bahdanau::kHidden,
                                               .dropout = kDropout});
  fill(*model, bahdanau::weights());
  return model;
}

std::unique_ptr<Model> make_transformer() {
  auto model = ::translation::make_translator({.model = "transformer",
                                               .source_words = translator::kVocabulary,
                                               .target_words = translator::kVocabulary,
                                               .width = translator::kWidth,
                                               .hidden = translator::kHidden,
                                               .layers = translator::kLayers,
                                               .heads = translator::kHeads,
                                               .dropout = kDropout,
                                               .tied = true,
                                               .shared = true});
  fill(*model, translator::weights());
  return model;
}

int run_steps(const bench::Options& options, Model& model, const std::vector<Batch>& cycle) {
  std::vector<std::vector<::translation::Example>> examples;
  std::vector<std::vector<Index>> chosen;
  for (const Batch& batch : cycle) {
    examples.emplace_back();
    for (const Pair& pair : batch) examples.back().push_back({pair.source, pair.target});
    chosen.emplace_back(batch.size());
    std::iota(chosen.back().begin(), chosen.back().end(), 0);
  }
  optim::AdamW adam(
      model.parameters(),
      {.lr = kLearningRate, .betas = {kBeta1, kBeta2}, .eps = kEpsilon, .weight_decay = 0});
  double loss = 0, norm = 0;
  std::size_t next = 0;
  const auto step = [&] {
    const ::translation::Batch batch = batch_of(examples[next], chosen[next]);
    next = (next + 1) % cycle.size();
    adam.zero_grad();
    const Tensor features = flatten(model.features(batch.source, batch.before), 0, 1);
    const Tensor cost = cross_entropy(model.logits(index_select(features, 0, batch.places)),
                                      batch.targets, {.label_smoothing = kSmoothing});
    cost.backward();
    norm = optim::clip_grad_norm(model.parameters(), kClip);
    adam.step();
    loss = cost.item();
  };
  model.eval();
  for (int i = 0; i < kChecked; ++i) step();
  const double checked_loss = loss, checked_norm = norm;
  model.train();
  return bench::serve(
      options,
      [&] {
        step();
        return checked_loss;
      },
      [&] { return checked_norm; });
}

int translate(const bench::Options& options, Model& model, bool greedy) {
  const NoGrad scope;
  model.eval();
  const std::vector<Batch> batches = bahdanau::sources(greedy);
  bahdanau::Digest digest;
  return bench::serve(
      options,
      [&] {
        digest = {};
        for (const Batch& batch : batches) {
          std::vector<std::vector<Index>> rows;
          nn::BeamSearchOptions search{.begin = kBegin,
                                       .end = kEnd,
                                       .beam = greedy ? 1 : bahdanau::kBeam,
                                       .length_penalty = 1,
                                       .forbidden = {kPadding, kBegin, kEnd}};
          for (const Pair& pair : batch) {
            rows.push_back(pair.source);
            search.longest.push_back(std::ssize(pair.target));
          }
          const auto decoding = model.start(::translation::rows_of(rows));
          const auto found = beam_search(*decoding, std::ssize(batch), search);
          for (const auto& best : found) digest.add(best.front().words);
        }
        return digest.first();
      },
      [&] { return digest.second(); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  if (options.row == "translator")
    return run_steps(options, *make_transformer(), translator::cycle());
  if (options.row == "bahdanau") return run_steps(options, *make_bahdanau(), bahdanau::cycle());
  const auto model = make_bahdanau();
  if (options.row == "greedy_int8") nn::to_int8(*model);
  return translate(options, *model, options.row != "beam");
}
