#include "../../../examples/translation/translator.h"
#include "../../../examples/translation/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../autograd/grad_mode.h"
#include "../../../core/error.h"
#include "../../../data/subwords.h"
#include "../../../examples/translation/luong_model.h"
#include "small_models.h"

namespace translation {
namespace {

using heed::NoGrad;
using heed::ValueError;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(TranslationModel, LuongsDecoderBeginsWhereTheEncoderEnds) {
  const NoGrad scope;
  LuongModel model(small("luong"));
  model.eval();
  const Rows source = rows(kRead, kSources, data::kPadding, 7);
  const Tensor output = model.encoder(model.tables.source(source.ids), source.lengths).output;
  const auto state = model.read(source);
  ASSERT_EQ(state.layers.size(), 2U);
  EXPECT_GT(difference(state.layers[0].h, state.layers[1].h), 1e-3);
  for (Index b = 0; b < 3; ++b) {  // of 10 features, the first 5 were read forwards
    const Tensor all = select(output, 0, b), last = select(state.layers[1].h, 0, b);
    const Index end = kRead[static_cast<std::size_t>(b)] - 1;
    EXPECT_EQ(difference(narrow(last, 0, 0, 5), narrow(select(all, 0, end), 0, 0, 5)), 0);
    EXPECT_EQ(difference(narrow(last, 0, 5, 5), narrow(select(all, 0, 0), 0, 5, 5)), 0);
  }
  // And features depend on it, even where no context is read.
  for (const auto& [key, weight] : model.named_parameters()) {
    if (key == "decoder.combine.weight") {
      narrow(weight, 1, 0, 10).copy_from(zeros({weight.size(0), 10}, DType::f64));
    }
  }
  const Rows before = rows({3, 3, 3}, kTargets, data::kPadding, 11);
  const Rows other = rows(kRead, kSources, data::kPadding, 8);
  EXPECT_GT(difference(model.features(source, before), model.features(other, before)), 1e-6);
}

TEST(TranslationModel, ReadsPackedSentencesAsPaddedOnes) {
  manual_seed(7);
  const auto model = make_translator(small("transformer"));
  model->eval();
  const std::vector<Example> pairs = {{{5, 6, 7, data::kEnd}, {4, 8}},
                                      {{9, data::kEnd}, {5, 6, 4}}};
  const Tensor padded = features_of(*model, batch_of(pairs, {0, 1}));
  const Tensor packed = features_of(*model, packed_batch_of(pairs, {0, 1}));
  EXPECT_EQ(padded.shape(), packed.shape());
  EXPECT_LT(difference(padded, packed), 1e-12);
}

TEST(TranslationModel, NamesWhatIsTooLong) {
  const Rows fits = rows({12, 3}, kTargets, data::kPadding, 3);
  const Rows more = rows({13, 3}, kTargets, data::kPadding, 3);
  for (const ModelOptions& options : {small("conv"), luong("location", "global")}) {
    const auto model = make_translator(options);
    const auto text = HasSubstr(
        options.model + ": 13 words and marks in a sentence: longest 11 leaves room for 12");
    EXPECT_NO_THROW(model->features(fits, fits));
    EXPECT_THAT([&] { model->features(more, fits); }, ThrowsMessage<ValueError>(text));
    EXPECT_THAT([&] { model->start(more); }, ThrowsMessage<ValueError>(text));
    if (options.model != "conv") continue;
    EXPECT_THAT([&] { model->features(fits, more); }, ThrowsMessage<ValueError>(text));
    const NoGrad scope;
    const auto writing = model->start(fits);
    for (int t = 0; t < 12; ++t) writing->step(numbers({3, 4}), nullptr);
    EXPECT_THAT([&] { writing->step(numbers({3, 4}), nullptr); }, ThrowsMessage<ValueError>(text));
  }
  // Those without learned places have no end.
  for (const char* name : {"seq2seq", "bahdanau", "luong", "transformer"}) {
    EXPECT_NO_THROW(make_translator(small(name))->features(more, more)) << name;
  }
}

TEST(TranslationModel, RefusesOptionsThatMakeNoSense) {
  const auto throws = [](const std::string& model, auto change, const char* text) {
    ModelOptions options = small(model);
    change(options);
    EXPECT_THAT([&] { make_translator(options); }, ThrowsMessage<ValueError>(HasSubstr(text)));
  };
  using Options = ModelOptions;
  throws(
      "rnn", [](Options&) {},
      "kind \"rnn\" is none of \"seq2seq\", \"bahdanau\", \"luong\", \"conv\"");
  throws(
      "seq2seq", [](Options& o) { o.style = "graves"; }, "style \"graves\" is none of");
  throws(
      "luong", [](Options& o) { o.score = "cosine"; }, "score \"cosine\" is none of");
  throws(
      "luong", [](Options& o) { o.attention = "local"; }, "attention \"local\" is none of");
  throws(
      "luong", [](Options& o) { o.hidden = 7; },
      "luong: hidden 7 must be even: the encoder's directions have half each");
  throws(
      "luong", [](Options& o) { o.half_width = -1; }, "half_width -1 must be in [0, 16777216]");
  throws(
      "luong",
      [](Options& o) {
        o.attention = "local-p";
        o.half_width = 0;
      },
      "half_width 0 must be positive");
  throws(
      "conv", [](Options& o) { o.kernel = 4; }, "the encoder's kernel 4 must be odd");
  throws(
      "transformer", [](Options& o) { o.heads = 4; }, "heads 4 does not divide width 6");
  throws(
      "bahdanau", [](Options& o) { o.width = 0; }, "width 0 must be in [1, 16384]");
  throws(
      "bahdanau", [](Options& o) { o.hidden = -3; }, "hidden -3 must be in [1, 65536]");
  throws(
      "bahdanau", [](Options& o) { o.layers = 0; }, "layers 0 must be in [1, 1024]");
  throws(
      "transformer", [](Options& o) { o.heads = 0; }, "heads 0 must be in [1, 16384]");
  throws(
      "conv", [](Options& o) { o.kernel = 0; }, "kernel 0 must be in [1, 1024]");
  throws(
      "conv", [](Options& o) { o.longest = 0; }, "places 0 must be in [1, 16777216]");
  throws(
      "conv", [](Options& o) { o.dropout = 1; }, "dropout 1 must be in [0, 0.99]");
  throws(
      "conv", [](Options& o) { o.dropout = std::nan(""); }, "dropout nan must be in [0, 0.99]");
  throws(
      "conv", [](Options& o) { o.source_words = 3; },
      "a vocabulary of 3 leaves no room for the 4 marks");
  throws(
      "conv", [](Options& o) { o.target_words = 0; },
      "a vocabulary of 0 leaves no room for the 4 marks");
  throws(
      "transformer", [](Options& o) { o.shared = true; },
      "shared: the vocabularies have 17 and 13 words");
}

}  // namespace
}  // namespace translation
