// The rows bahdanau, translator, greedy and beam as a user of libtorch writes them.
#include "../translation.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"
#include "translation_models.h"

namespace {

using namespace bench::translation;  // the options
using torch::Tensor;
namespace bahdanau = bench::bahdanau;
namespace F = torch::nn::functional;

void fill(torch::nn::Module& model, const bench::Weights& weights) {
  const torch::NoGradGuard guard;
  const auto parameters = model.parameters();
  TORCH_CHECK(parameters.size() == weights.size(), "a parameter without numbers");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bench::Weight& weight = weights[i];
    TORCH_CHECK(parameters[i].numel() == weight.count(), weight.name);
    bench::fill(parameters[i].data_ptr<float>(), weight.count(), i + 1, weight.bound,
                weight.center);
  }
}

Tensor padded(const std::vector<Words>& rows) {
  std::size_t longest = 0;
  for (const Words& row : rows) longest = std::max(longest, row.size());
  Tensor out =
      torch::full({std::ssize(rows), static_cast<std::int64_t>(longest)}, kPadding, torch::kInt64);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), out.data_ptr<std::int64_t>() + i * longest);
  }
  return out;
}

Tensor sources_of(const Batch& batch) {
  std::vector<Words> rows;
  for (const Pair& pair : batch) rows.push_back(pair.source);
  return padded(rows);
}

// With both marks.
Tensor targets_of(const Batch& batch) {
  std::vector<Words> rows;
  for (const Pair& pair : batch) {
    rows.push_back({kBegin});
    rows.back().insert(rows.back().end(), pair.target.begin(), pair.target.end());
    rows.back().push_back(kEnd);
  }
  return padded(rows);
}

int train(const bench::Options& options, bench::Translator& model,
          const std::vector<Batch>& cycle) {
  torch::optim::Adam adam(
      model.parameters(),
      torch::optim::AdamOptions(kLearningRate).betas({kBeta1, kBeta2}).eps(kEpsilon));
  double loss = 0, norm = 0;
  std::size_t next = 0;
  const auto step = [&] {
    const Tensor source = sources_of(cycle[next]), target = targets_of(cycle[next]);
    next = (next + 1) % cycle.size();
    adam.zero_grad();
    const Tensor scores = model.forward(source, target.slice(1, 0, -1));
    const Tensor cost = F::cross_entropy(
        scores.flatten(0, 1), target.slice(1, 1).flatten(),
        F::CrossEntropyFuncOptions().ignore_index(kPadding).label_smoothing(kSmoothing));
    cost.backward();
    norm = torch::nn::utils::clip_grad_norm_(model.parameters(), kClip);
    adam.step();
    loss = cost.item<double>();
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

using Bahdanau = bahdanau::Network;

Tensor scores_of(Bahdanau& model, const Tensor& words, const Bahdanau::Source& source,
                 Tensor& state) {
  return model.out(model.step(model.embed(model.target_words, words), source, state));
}

// Of scores or log probabilities: marks are never written.
Tensor without_marks(Tensor scores) {
  for (const std::int64_t mark : {kPadding, kBegin, kEnd}) {
    scores.select(1, mark).fill_(-std::numeric_limits<float>::infinity());
  }
  return scores;
}

std::int64_t longest_of(const Batch& batch) {
  std::size_t out = 0;
  for (const Pair& pair : batch) out = std::max(out, pair.target.size());
  return static_cast<std::int64_t>(out);
}

// The first words of a row, as many as the pair's target has.
Words cut(const Tensor& row, const Pair& pair) {
  const auto* first = row.data_ptr<std::int64_t>();
  return Words(first, first + pair.target.size());
}

// Goes on to the limit, whatever has been written, as a first version does.
void greedy(Bahdanau& model, const Batch& batch, bahdanau::Digest& digest) {
  const Bahdanau::Source source = model.read(sources_of(batch));
  Tensor state = source.first;
  Tensor words = torch::full({std::ssize(batch)}, kBegin, torch::kInt64);
  std::vector<Tensor> written;
  for (std::int64_t t = 0; t < kLimit; ++t) {
    words = without_marks(scores_of(model, words, source, state)).argmax(1);
    written.push_back(words);
  }
  const Tensor texts = torch::stack(written, 1);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    digest.add(cut(texts[static_cast<std::int64_t>(b)], batch[b]));
  }
}

void beam(Bahdanau& model, const Batch& batch, bahdanau::Digest& digest) {
  constexpr std::int64_t kBeam = bahdanau::kBeam, V = bahdanau::kTargetWords;
  const auto B = std::ssize(batch);
  Bahdanau::Source source = model.read(sources_of(batch));
  for (Tensor* part : {&source.states, &source.keys, &source.hidden, &source.first}) {
    *part = part->repeat_interleave(kBeam, 0);
  }
  Tensor state = source.first;
  Tensor words = torch::full({B * kBeam}, kBegin, torch::kInt64);
  Tensor texts = torch::empty({B * kBeam, 0}, torch::kInt64);
  Tensor sums = torch::full({B, kBeam}, -std::numeric_limits<float>::infinity());
  sums.select(1, 0).fill_(0);  // a single beginning
  const Tensor first_rows = torch::arange(B).unsqueeze(1) * kBeam;
  const std::int64_t longest = longest_of(batch);
  for (std::int64_t t = 1; t <= longest; ++t) {
    const Tensor scores = scores_of(model, words, source, state);
    const Tensor log_p = without_marks(torch::log_softmax(scores, 1));
    const Tensor all = (sums.unsqueeze(2) + log_p.view({B, kBeam, V})).flatten(1);
    Tensor best;
    std::tie(sums, best) = all.topk(kBeam, 1);
    const Tensor rows = (first_rows + best.div(V, "floor")).flatten();
    words = best.remainder(V).flatten();
    texts = torch::cat({texts.index_select(0, rows), words.unsqueeze(1)}, 1);
    state = state.index_select(0, rows);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      if (std::ssize(batch[b].target) != t) continue;
      digest.add(cut(texts[static_cast<std::int64_t>(b) * kBeam], batch[b]));
    }
  }
}

int translate(const bench::Options& options, Bahdanau& model, bool greedily) {
  const torch::NoGradGuard guard;
  model.eval();
  const std::vector<Batch> batches = bahdanau::sources(greedily);
  bahdanau::Digest digest;
  return bench::serve(
      options,
      [&] {
        digest = {};
        for (const Batch& batch : batches) (greedily ? greedy : beam)(model, batch, digest);
        return digest.first();
      },
      [&] { return digest.second(); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  if (options.row == "translator") {
    bench::translator::Network model;
    fill(model, bench::translator::weights());
    return train(options, model, bench::translator::cycle());
  }
  Bahdanau model;
  fill(model, bahdanau::weights());
  if (options.row == "bahdanau") return train(options, model, bahdanau::cycle());
  return translate(options, model, options.row == "greedy");
}
