#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../pretrained/load.h"
#include "../support/throws.h"
#include "family_folder.h"

namespace heed::pretrained {
namespace {

using namespace plain;

constexpr double kClose = 1e-10, kEps = 1e-12;
const std::string kConfig =
    R"({"model_type": "bert", "vocab_size": 13, "hidden_size": 6, "num_hidden_layers": 2,
        "num_attention_heads": 3, "intermediate_size": 7, "max_position_embeddings": 8,
        "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12})";

NamedSizes sizes(const std::string& prefix) {
  NamedSizes out;
  out.emplace_back(prefix + "embeddings.word_embeddings.weight", Shape{13, 6});
  out.emplace_back(prefix + "embeddings.position_embeddings.weight", Shape{8, 6});
  out.emplace_back(prefix + "embeddings.token_type_embeddings.weight", Shape{2, 6});
  add_norm(out, prefix + "embeddings.LayerNorm", 6);
  for (Index i = 0; i < 2; ++i) {
    const std::string layer = prefix + fmt::format("encoder.layer.{}.", i);
    for (const std::string name : {"query", "key", "value"}) {
      add_linear(out, layer + "attention.self." + name, 6, 6, true);
    }
    add_linear(out, layer + "attention.output.dense", 6, 6, true);
    add_norm(out, layer + "attention.output.LayerNorm", 6);
    add_linear(out, layer + "intermediate.dense", 7, 6, true);
    add_linear(out, layer + "output.dense", 6, 7, true);
    add_norm(out, layer + "output.LayerNorm", 6);
  }
  return out;
}

Rows hidden(const Weights& w, const std::string& prefix, const std::vector<Index>& ids,
            const std::vector<Index>& segments) {
  const std::string in = prefix + "embeddings.";
  Rows x = plus(plus(plain::rows(w.matrix(in + "word_embeddings.weight"), ids),
                     w.matrix(in + "position_embeddings.weight")),
                plain::rows(w.matrix(in + "token_type_embeddings.weight"), segments));
  x = layer_norm(w, in + "LayerNorm", x, kEps);
  for (Index i = 0; i < 2; ++i) {
    const std::string layer = prefix + fmt::format("encoder.layer.{}.", i);
    const std::string self = layer + "attention.self.";
    const Rows seen = attend(linear(w, self + "query", x), linear(w, self + "key", x),
                             linear(w, self + "value", x),
                             {.heads = 3, .kv_heads = 3, .scale = 1 / std::sqrt(2.0)});
    x = layer_norm(w, layer + "attention.output.LayerNorm",
                   plus(x, linear(w, layer + "attention.output.dense", seen)), kEps);
    const Rows inner = plain::map(linear(w, layer + "intermediate.dense", x), gelu);
    x = layer_norm(w, layer + "output.LayerNorm", plus(x, linear(w, layer + "output.dense", inner)),
                   kEps);
  }
  return x;
}

TEST(Bert, GivesTheNumbersOfPlainLoops) {
  // The second of a batch is shorter; what stands behind it is not seen.
  const std::vector<Index> first = {2, 7, 1, 12, 3}, second = {5, 0, 11},
                           segments = {0, 0, 1, 1, 1};
  const Tensor ids = Array::from(std::vector<Index>{2, 7, 1, 12, 3, 5, 0, 11, 9, 9}, Shape{2, 5});
  const Tensor of = Array::from(std::vector<Index>{0, 0, 1, 1, 1, 0, 0, 1, 1, 1}, Shape{2, 5});
  for (const std::string prefix : {"", "bert."}) {
    const FamilyFolder folder(kConfig, sizes(prefix));
    const NoGrad scope;
    const auto model = load<Bert>(folder.path());
    model->to(DType::f64);
    const BertOutput found = (*model)(ids, {5, 3}, of);
    EXPECT_FALSE(found.pooled.defined() || found.words.defined() || found.classified.defined());
    EXPECT_LT(difference(found.hidden[0], hidden(folder.weights, prefix, first, segments)), kClose);
    EXPECT_LT(difference(narrow(found.hidden[1], 0, 0, 3),
                         hidden(folder.weights, prefix, second, {0, 0, 1})),
              kClose);
    EXPECT_LT(difference((*model)(narrow(ids, 0, 0, 1), {5}).hidden,
                         hidden(folder.weights, prefix, first, {0, 0, 0, 0, 0})),
              kClose);
  }
}

TEST(Bert, DropsWeightsOfAttentionAsItsFileSays) {
  std::string config = kConfig;
  config.replace(config.find('{'), 1, R"({"attention_probs_dropout_prob": 0.25, )");
  const FamilyFolder folder(config, sizes(""));
  const auto model = load<Bert>(folder.path());
  const auto& heads = dynamic_cast<const attention::MultiHead&>(model->encoder.layers[1].self_attn);
  EXPECT_EQ(heads.options().dropout, 0.25);
  EXPECT_EQ(model->options().stack.dropout, 0.1);
}

TEST(Bert, HasTheHeadsOfItsFile) {
  const std::vector<Index> ids = {2, 7, 1, 12, 3};
  const Tensor batch = Array::from(ids, Shape{1, 5});
  NamedSizes all = sizes("bert.");
  add_linear(all, "bert.pooler.dense", 6, 6, true);
  add_linear(all, "cls.predictions.transform.dense", 6, 6, true);
  add_norm(all, "cls.predictions.transform.LayerNorm", 6);
  all.emplace_back("cls.predictions.bias", Shape{13});
  all.emplace_back("cls.predictions.decoder.weight", Shape{13, 6});
  all.emplace_back("cls.predictions.decoder.bias", Shape{13});
  add_linear(all, "cls.seq_relationship", 2, 6, true);
  const FamilyFolder folder(kConfig, all);
  const Weights& w = folder.weights;
  const NoGrad scope;
  const auto model = load<Bert>(folder.path());
  model->to(DType::f64);
  const BertOutput found = (*model)(batch, {5});
  const Rows x = hidden(w, "bert.", ids, {0, 0, 0, 0, 0});
  const Rows pooled =
      plain::map(linear(w, "bert.pooler.dense", {x[0]}), [](double y) { return std::tanh(y); });
  EXPECT_LT(difference(found.pooled, pooled), kClose);
  EXPECT_LT(difference(found.classified, linear(w, "cls.seq_relationship", pooled)), kClose);
  const Rows turned =
      layer_norm(w, "cls.predictions.transform.LayerNorm",
                 plain::map(linear(w, "cls.predictions.transform.dense", x), gelu), kEps);
  Weights tied = w;  // the matrix is the embedding's
  tied.arrays["head.weight"] = w.arrays.at("bert.embeddings.word_embeddings.weight");
  tied.arrays["head.bias"] = w.arrays.at("cls.predictions.bias");
  EXPECT_LT(difference(found.words, linear(tied, "head", turned)), kClose);
}

TEST(Bert, FillsInMaskedWordsByItsOwnActivation) {
  NamedSizes all = sizes("bert.");
  add_linear(all, "cls.predictions.transform.dense", 6, 6, true);
  add_norm(all, "cls.predictions.transform.LayerNorm", 6);
  all.emplace_back("cls.predictions.bias", Shape{13});
  std::string config = kConfig;
  config.replace(config.find("\"gelu\""), 6, "\"relu\"");
  const FamilyFolder folder(config, all);
  const NoGrad scope;
  const auto model = load<Bert>(folder.path());
  model->to(DType::f64);
  const BertOutput found = (*model)(Array::from(std::vector<Index>{2, 7, 1}, Shape{1, 3}), {3});
  Rows x(3);
  for (Index t = 0; t < 3; ++t) {
    x[static_cast<std::size_t>(t)] = found.hidden[0][t].array().to_vector<double>();
  }
  const Weights& w = folder.weights;
  Weights tied = w;
  tied.arrays["head.weight"] = w.arrays.at("bert.embeddings.word_embeddings.weight");
  tied.arrays["head.bias"] = w.arrays.at("cls.predictions.bias");
  const Rows turned = layer_norm(w, "cls.predictions.transform.LayerNorm",
                                 plain::map(linear(w, "cls.predictions.transform.dense", x),
                                            [](double y) { return std::max(y, 0.0); }),
                                 kEps);
  EXPECT_LT(difference(found.words, linear(tied, "head", turned)), kClose);
}

TEST(Bert, RefusesHeadsThatItWouldReadAsOthers) {
  NamedSizes all = sizes("bert.");
  add_linear(all, "classifier", 5, 6, true);
  FamilyFolder folder(kConfig, all);
  EXPECT_ERROR_WITH(FormatError, "pooler.dense.weight must be there", load(folder.path()));
  add_linear(all, "bert.pooler.dense", 6, 6, true);
  const auto config = [](const std::string& more) {
    std::string out = kConfig;
    return out.replace(out.find('{'), 1, "{" + more + ", ");
  };
  const FamilyFolder words(config(R"("architectures": ["BertForTokenClassification", "Other"])"),
                           all);
  EXPECT_ERROR_WITH(FormatError, "architectures: \"BertForTokenClassification\" is not known",
                    load(words.path()));
  const FamilyFolder texts(config(R"("architectures": ["BertForSequenceClassification"])"), all);
  EXPECT_NO_THROW(load(texts.path()));

  NamedSizes masked = sizes("bert.");
  add_linear(masked, "cls.predictions.transform.dense", 6, 6, true);
  add_norm(masked, "cls.predictions.transform.LayerNorm", 6);
  masked.emplace_back("cls.predictions.bias", Shape{13});
  masked.emplace_back("cls.predictions.decoder.weight", Shape{13, 6});
  const FamilyFolder untied(config(R"("tie_word_embeddings": false)"), masked);
  EXPECT_ERROR_WITH(FormatError, "tie_word_embeddings: false is not known", load(untied.path()));
  // Without the head nothing is lost.
  EXPECT_NO_THROW(
      load(FamilyFolder(config(R"("tie_word_embeddings": false)"), sizes("bert.")).path()));
}

TEST(Bert, ClassifiesAndReadsOlderNames) {
  NamedSizes all = sizes("bert.");
  add_linear(all, "bert.pooler.dense", 6, 6, true);
  add_linear(all, "classifier", 5, 6, true);
  FamilyFolder folder(kConfig, all);
  const Tensor ids = Array::from(std::vector<Index>{2, 7, 1}, Shape{1, 3});
  const NoGrad scope;
  const Array wanted = (*load<Bert>(folder.path()))(ids, {3}).classified.array();
  EXPECT_EQ(wanted.shape(), (Shape{1, 5}));
  std::map<std::string, Array> older;
  for (const auto& [name, array] : folder.weights.arrays) {
    std::string own = name;
    if (own.find("LayerNorm") != std::string::npos) {
      own = own.substr(0, own.rfind('.')) + (own.ends_with("weight") ? ".gamma" : ".beta");
    }
    older.emplace(own, array);
  }
  folder.weights.arrays = older;
  folder.write();
  EXPECT_EQ((*load<Bert>(folder.path()))(ids, {3}).classified.array().to_vector<float>(),
            wanted.to_vector<float>());
}

// The biases alone would let a small file ask for any number of rows.
TEST(Bert, ClassesAreBelievedOnceTheirMatrixHasThem) {
  for (const std::string name : {"classifier", "cls.seq_relationship"}) {
    NamedSizes all = sizes("bert.");
    add_linear(all, "bert.pooler.dense", 6, 6, true);
    all.emplace_back(name + ".bias", Shape{5});
    EXPECT_ERROR_WITH(FormatError, name + ".weight must be there, [5, 6]",
                      load(FamilyFolder(kConfig, all).path()));
    all.emplace_back(name + ".weight", Shape{3, 6});
    EXPECT_ERROR_WITH(FormatError, name + ".weight must be [5, 6] by config.json, not [3, 6]",
                      load(FamilyFolder(kConfig, all).path()));
  }
}

TEST(Bert, RefusesWhatItDoesNotKnow) {
  const FamilyFolder folder(kConfig, sizes(""));
  const auto config = [&](const std::string& from, const std::string& to) {
    std::string text = kConfig;
    text.replace(text.find(from), from.size(), to);
    folder.write(text);
    return folder.path();
  };
  EXPECT_ERROR_WITH(FormatError, "hidden_act: \"mish\" is not known",
                    load(config("\"gelu\"", "\"mish\"")));
  EXPECT_ERROR_WITH(FormatError, "3 of width 7",
                    load(config("\"hidden_size\": 6", "\"hidden_size\": 7")));
  EXPECT_ERROR_WITH(
      FormatError, "position_embedding_type",
      load(config("\"type_vocab_size\": 2", "\"position_embedding_type\": \"relative_key\"")));
  EXPECT_ERROR_WITH(
      FormatError, "position_embeddings.weight must be [9, 6]",
      load(config("\"max_position_embeddings\": 8", "\"max_position_embeddings\": 9")));
  const auto model = load<Bert>(config("{", "{"));
  const NoGrad scope;
  const std::vector<Index> one(5, 1), two(10, 1);
  EXPECT_ERROR_WITH(ShapeError, "bert: segments [1, 5] must have the shape of ids, [2, 5]",
                    (*model)(Array::from(two, Shape{2, 5}), {5, 5}, Array::from(one, Shape{1, 5})));
  EXPECT_ERROR_WITH(ShapeError, "T at most 8",
                    (*model)(Array::from(std::vector<Index>(9, 1), Shape{1, 9}), {9}));
}

}  // namespace
}  // namespace heed::pretrained
