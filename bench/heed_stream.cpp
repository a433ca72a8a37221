// Both sides of the row stream: `--row stream` reads its windows from the shards as it goes, `--row
// stream_memory` holds the first of them. `--bytes N`: of the text.

#include "../attention/mechanisms/transformer/transformer_encoder.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "../data/shards.h"
#include "../data/token_stream.h"
#include "../data/words.h"
#include "../nn/embedding.h"
#include "../optim/adam.h"
#include "filled.h"
#include "protocol.h"
#include "stream_text.h"

namespace {

using namespace heed;
using namespace bench::stream;  // the sizes

constexpr Index kVocabulary = kWords + 4;
constexpr std::size_t kHeld = 200;  // batches in memory, again and again

struct LanguageModel : nn::Module {
  nn::Embedding& words =
      child<nn::Embedding>("words", nn::EmbeddingOptions{.count = kVocabulary, .width = kWidth});
  nn::Embedding& places =
      child<nn::Embedding>("places", nn::EmbeddingOptions{.count = kLength, .width = kWidth});
  attention::TransformerEncoder& layers = child<attention::TransformerEncoder>(
      "layers", kLayers,
      attention::TransformerOptions{
          .width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kVocabulary);
  Tensor steps = bench::ids({kLength}, [](std::int64_t* to) {
    for (Index t = 0; t < kLength; ++t) to[t] = t;
  });

  Tensor loss(const data::Windows& batch) const {
    const Tensor x = words(Tensor(batch.inputs)) + places(steps);
    const Tensor y = out(layers(x, {.mask = attention::Mask::causal()}).output);
    return cross_entropy(flatten(y, 0, 1), Tensor(batch.targets.reshape({kRows * kLength})));
  }
};

data::Words coder() {
  std::vector<std::string> entries = {std::string(data::kMarks[data::kBegin]),
                                      std::string(data::kMarks[data::kEnd])};
  for (std::string& word : words()) entries.push_back(std::move(word));
  return data::Words(data::Vocabulary(entries));
}

std::int64_t bytes(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--bytes") return std::atoll(argv[i + 1]);
  }
  return kBytes;
}

int run(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  manual_seed(1);
  const data::Words words = coder();
  const auto text = data::text_shards(shards(bytes(argc, argv)));
  const auto windows = [&] {
    return data::streamed_windows(
        text, [&](const std::string& line) { return words.encode(line); },
        {.rows = kRows, .length = kLength, .buffer = kBuffer, .prefetch = 2, .seed = 1});
  };
  std::vector<data::Windows> held;
  if (options.row == kMemoryName) {
    for (auto first = windows(); held.size() < kHeld;) held.push_back(*first.next());
  }
  auto streamed = windows();
  std::size_t at = 0;
  LanguageModel model;
  optim::Adam adam(model.parameters(), {.lr = 1e-3});
  return bench::serve(options, [&] {
    data::Windows batch;
    if (!held.empty()) {
      batch = held[at++ % held.size()];
    } else {
      // A pass ends with windows that are fewer or shorter.
      std::optional<data::Windows> read;
      while (!(read = streamed.next()) || read->inputs.numel() < kRows * kLength) {
      }
      batch = *std::move(read);
    }
    adam.zero_grad();
    const Tensor loss = model.loss(batch);
    loss.backward();
    adam.step();
    return loss.item();
  });
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "heed_stream: %s\n", error.what());
  return 1;
}
