// The code of docs/decoders.md.
#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../nn/nn.h"

namespace heed {
namespace {

using attention::Mask;

// [docs: model]
class Translator : public nn::Module {
 public:
  Translator(Index words, Index width) : words_(words), width_(width) {}

 private:
  Index words_, width_;

 public:
  nn::Embedding& source = child<nn::Embedding>("source", words_, width_);
  nn::Embedding& target = child<nn::Embedding>("target", words_, width_);
  nn::GRU& encoder = child<nn::GRU>(
      "encoder", nn::GRUOptions{.input = width_, .hidden = width_, .bidirectional = true});
  attention::BahdanauDecoder& decoder = child<attention::BahdanauDecoder>(
      "decoder", attention::BahdanauOptions{
                     .word_width = width_, .annotation_width = 2 * width_, .state_width = width_});
  nn::Linear& out = child<nn::Linear>("out", width_, words_);

  /// sources i64 [B, K], what the decoder reads i64 [B, T] -> logits [B, T, words]
  Tensor operator()(const Tensor& sources, const std::vector<Index>& lengths,
                    const Tensor& read) const {
    const Tensor annotations = encoder(source(sources), lengths).output;
    const auto mask = Mask::lengths(lengths, sources.size(1));
    return out(decoder(target(read), annotations, mask).output);
  }
};
// [end]

TEST(DecodersGuide, TrainsAndSearches) {
  const Translator model(11, 7);
  const Tensor sources = randint(3, 11, {2, 5}), read = randint(3, 11, {2, 4}),
               due = randint(3, 11, {2, 4});
  const std::vector<Index> lengths = {5, 3};
  // [docs: loss]
  // `read` is the begin mark and the words but the last, `due` the words and the end mark.
  const Tensor loss = cross_entropy(transpose(model(sources, lengths, read), 1, 2), due);
  // [end]
  EXPECT_GT(loss.item(), 0);
  // [docs: search]
  const NoGrad scope;
  const Tensor annotations = model.encoder(model.source(sources), lengths).output;
  attention::Writing writing(
      model.decoder, model.decoder.start(annotations, Mask::lengths(lengths, sources.size(1))),
      {.embed = [&](const Tensor& ids, Index) { return model.target(ids); },
       .logits = [&](const Tensor& output) { return model.out(output); }});
  const auto found = nn::beam_search(writing, sources.size(0),
                                     {.begin = 1,
                                      .end = 2,
                                      .beam = 4,
                                      .longest = {12, 12},
                                      .length_penalty = 0.6,
                                      .n_best = 2,
                                      .forbidden = {0},
                                      .need_weights = true});
  for (const nn::Hypothesis& text : found[0]) {  // of the first source, best first
    std::printf("%zu words, score %.2f\n", text.words.size(), text.score);
  }
  // [end]
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].size(), 2U);
  EXPECT_GE(found[0][0].score, found[0][1].score);
  EXPECT_EQ(found[0][0].weights.shape().at(1), 5);
}

}  // namespace
}  // namespace heed
