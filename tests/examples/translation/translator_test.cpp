#include "../../../examples/translation/translator.h"
#include "../../../examples/translation/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../autograd/grad_mode.h"
#include "../../../core/error.h"
#include "../../../data/subwords.h"
#include "../../../examples/translation/luong_model.h"
#include "../../support/throws.h"
#include "small_models.h"

namespace translation {
namespace {

using heed::NoGrad;
using heed::ValueError;

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
    const std::string text =
        options.model + ": 13 words and marks in a sentence: longest 11 leaves room for 12";
    EXPECT_NO_THROW(model->features(fits, fits));
    EXPECT_ERROR_WITH(ValueError, text, model->features(more, fits));
    EXPECT_ERROR_WITH(ValueError, text, model->start(more));
    if (options.model != "conv") continue;
    EXPECT_ERROR_WITH(ValueError, text, model->features(fits, more));
    const NoGrad scope;
    const auto writing = model->start(fits);
    for (int t = 0; t < 12; ++t) writing->step(numbers({3, 4}), nullptr);
    EXPECT_ERROR_WITH(ValueError, text, writing->step(numbers({3, 4}), nullptr));
  }
  // Those without learned places have no end.
  for (const char* name : {"seq2seq", "bahdanau", "luong", "transformer"}) {
    EXPECT_NO_THROW(make_translator(small(name))->features(more, more)) << name;
  }
}

TEST(TranslationModel, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](const std::string& model, const char* text, auto change) {
    ModelOptions options = small(model);
    change(options);
    EXPECT_ERROR_WITH(ValueError, text, make_translator(options));
  };
  using Options = ModelOptions;
  refuses("rnn", "kind \"rnn\" is none of \"seq2seq\", \"bahdanau\", \"luong\", \"conv\"",
          [](Options&) {});
  refuses("seq2seq", "style \"graves\" is none of", [](Options& o) { o.style = "graves"; });
  refuses("luong", "score \"cosine\" is none of", [](Options& o) { o.score = "cosine"; });
  refuses("luong", "attention \"local\" is none of", [](Options& o) { o.attention = "local"; });
  refuses("luong", "luong: hidden 7 must be even: the encoder's directions have half each",
          [](Options& o) { o.hidden = 7; });
  refuses("luong", "half_width -1 must be in [0, 16777216]", [](Options& o) { o.half_width = -1; });
  refuses("luong", "half_width 0 must be positive", [](Options& o) {
    o.attention = "local-p";
    o.half_width = 0;
  });
  refuses("conv", "the encoder's kernel 4 must be odd", [](Options& o) { o.kernel = 4; });
  refuses("transformer", "heads 4 does not divide width 6", [](Options& o) { o.heads = 4; });
  refuses("bahdanau", "width 0 must be in [1, 16384]", [](Options& o) { o.width = 0; });
  refuses("bahdanau", "hidden -3 must be in [1, 65536]", [](Options& o) { o.hidden = -3; });
  refuses("bahdanau", "layers 0 must be in [1, 1024]", [](Options& o) { o.layers = 0; });
  refuses("transformer", "heads 0 must be in [1, 16384]", [](Options& o) { o.heads = 0; });
  refuses("conv", "kernel 0 must be in [1, 1024]", [](Options& o) { o.kernel = 0; });
  refuses("conv", "places 0 must be in [1, 16777216]", [](Options& o) { o.longest = 0; });
  refuses("conv", "dropout 1 must be in [0, 0.99]", [](Options& o) { o.dropout = 1; });
  refuses("conv", "dropout nan must be in [0, 0.99]", [](Options& o) { o.dropout = std::nan(""); });
  refuses("conv", "a vocabulary of 3 leaves no room for the 4 marks",
          [](Options& o) { o.source_words = 3; });
  refuses("conv", "a vocabulary of 0 leaves no room for the 4 marks",
          [](Options& o) { o.target_words = 0; });
  refuses("transformer", "shared: the vocabularies have 17 and 13 words",
          [](Options& o) { o.shared = true; });
}

}  // namespace
}  // namespace translation
