#include "../../pretrained/ctranslate2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::pretrained {
namespace {

constexpr Index kWidth = 12, kHidden = 7, kSource = 6, kTarget = 5;

template <class T>
void put(std::string& to, T number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::string& to, const std::string& text) {
  put(to, static_cast<std::uint16_t>(text.size() + 1));
  to += text + '\0';
}

struct Variable {
  std::string name;
  Shape shape;
};

// Two layers to read, one to write.
std::vector<Variable> variables() {
  std::vector<Variable> out;
  const auto linear = [&](const std::string& name, Index rows, Index columns) {
    out.push_back({name + "/weight", {rows, columns}});
    out.push_back({name + "/bias", {rows}});
  };
  const auto norm = [&](const std::string& name) {
    out.push_back({name + "layer_norm/gamma", {kWidth}});
    out.push_back({name + "layer_norm/beta", {kWidth}});
  };
  const auto layer = [&](const std::string& name) {
    norm(name + "self_attention/");
    linear(name + "self_attention/linear_0", 3 * kWidth, kWidth);
    linear(name + "self_attention/linear_1", kWidth, kWidth);
    norm(name + "ffn/");
    linear(name + "ffn/linear_0", kHidden, kWidth);
    linear(name + "ffn/linear_1", kWidth, kHidden);
  };
  layer("encoder/layer_0/");
  layer("encoder/layer_1/");
  layer("decoder/layer_0/");
  norm("decoder/layer_0/attention/");
  linear("decoder/layer_0/attention/linear_0", kWidth, kWidth);
  linear("decoder/layer_0/attention/linear_1", 2 * kWidth, kWidth);
  linear("decoder/layer_0/attention/linear_2", kWidth, kWidth);
  norm("encoder/");
  norm("decoder/");
  out.push_back({"encoder/embeddings/weight", {kSource, kWidth}});
  out.push_back({"decoder/embeddings/weight", {kTarget, kWidth}});
  linear("decoder/projection", kTarget, kWidth);
  return out;
}

std::string file_of(const std::vector<Variable>& variables) {
  std::string out;
  put(out, std::uint32_t{2});
  put(out, std::string("TransformerBase"));
  put(out, std::uint32_t{2});
  put(out, static_cast<std::uint32_t>(variables.size()));
  Generator generator(5);
  for (const Variable& each : variables) {
    put(out, each.name);
    put(out, static_cast<std::uint8_t>(each.shape.rank()));
    for (const Index size : each.shape) put(out, static_cast<std::uint32_t>(size));
    put(out, std::uint8_t{4});
    put(out, static_cast<std::uint32_t>(each.shape.numel()));
    for (const float x : generator.normal(each.shape, 0, 0.5).to_vector<float>()) put(out, x);
  }
  return out;
}

class Ctranslate2 : public testing::Test {
 protected:
  Translator read(const std::string& model, const std::string& source = "a\nb\n<s>\nc\nd\n",
                  const std::string& target = "<s>\n</s>\nx\ny\n", Index heads = 3) const {
    TemporaryFolder::put(folder_ / "model.bin", model);
    TemporaryFolder::put(folder_ / "source_vocabulary.txt", source);
    TemporaryFolder::put(folder_ / "target_vocabulary.txt", target);
    return read_ctranslate2(folder_.path().string(), heads);
  }
  TemporaryFolder folder_;
};

TEST_F(Ctranslate2, StepsAreTheWholeAndABatchIsEachAlone) {
  const Translator found = read(file_of(variables()));
  EXPECT_EQ(found.source_words.back(), "<unk>");
  EXPECT_EQ(found.model->encoder.layers.size(), 2u);
  const NoGrad scope;
  const Tensor source = Array::from(std::vector<Index>{0, 1, 3, 4, 4, 5, 0, 0}, Shape{2, 4});
  const Tensor target = Array::from(std::vector<Index>{0, 2, 3, 0, 3, 3}, Shape{2, 3});
  const Tensor whole = (*found.model)(source, target, {4, 2});
  const auto decoding = found.model->start(source, {4, 2});
  for (Index t = 0; t < 3; ++t) {
    const auto step = decoding->step(select(target, 1, t), nullptr).array().to_vector<float>();
    const auto wanted = select(whole, 1, t).array().to_vector<float>();
    for (std::size_t i = 0; i < step.size(); ++i) EXPECT_NEAR(step[i], wanted[i], 1e-5);
  }
  const std::vector<Words> sources = {{"a", "b", "c", "d"}, {"d"}, {"b", "b"}};
  const nn::BeamSearchOptions options{
      .begin = -1, .end = -1, .beam = 2, .longest = {7, 7, 7}, .n_best = 2};
  const auto all = found.translate(sources, options);
  nn::BeamSearchOptions one = options;
  one.longest = {7};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto alone = found.translate({sources[i]}, one)[0];
    ASSERT_EQ(alone.size(), all[i].size());
    EXPECT_EQ(alone[0].words, all[i][0].words);
    EXPECT_NEAR(alone[1].score, all[i][1].score, 1e-4);
  }
  EXPECT_EQ(found.words({.words = {2, 3, 4}}), (Words{"x", "y", "<unk>"}));
  EXPECT_ERROR_WITH(ValueError, "no word \"z\"", found.translate({{"z"}}, one));
  EXPECT_ERROR_WITH(ValueError, "a source has no word", found.translate({{}}, one));
  EXPECT_TRUE(found.translate({}, one).empty());
}

TEST_F(Ctranslate2, FilesAreReadStrictly) {
  const std::string whole = file_of(variables());
  for (std::size_t cut = 0; cut < whole.size(); cut += 157) {
    EXPECT_THROW(read(whole.substr(0, cut)), FormatError) << cut;
  }
  EXPECT_ERROR_WITH(FormatError, "1 bytes too many", read(whole + "x"));
  EXPECT_ERROR_WITH(FormatError, "version 7, not 2", read("\x07" + whole.substr(1)));
  std::string other = whole;
  other.replace(other.find("Base"), 4, "Bass");
  EXPECT_ERROR_WITH(FormatError, "a \"TransformerBass\"", read(other));
  std::vector<Variable> some = variables();
  some.erase(some.begin() + 3);
  EXPECT_ERROR_WITH(FormatError, "self_attn.in_proj_bias", read(file_of(some)));
  some = variables();
  some.push_back({"encoder/other", {1}});
  EXPECT_ERROR_WITH(FormatError, "nobody knows the parameter \"encoder/other\"",
                    read(file_of(some)));
  some = variables();
  some.push_back(some[0]);
  EXPECT_ERROR_WITH(FormatError, "twice", read(file_of(some)));
  some = variables();
  some.push_back({std::string(60013, 'v'), {2}});
  EXPECT_ERROR_WITH(FormatError, "vvv...\" (60013 bytes)",
                    read(file_of(some).substr(0, file_of(some).size() - 4)));
  for (std::size_t i = 0; i < variables().size(); ++i) {
    some = variables();
    some[i].shape[0] += 1;
    EXPECT_THROW(read(file_of(some)), FormatError) << some[i].name;
    some = variables();
    some.erase(some.begin() + static_cast<Index>(i));
    EXPECT_THROW(read(file_of(some)), FormatError) << i;
  }
  // Rows of one file and a width of another would be a table that no file holds.
  some = variables();
  const auto target = std::find_if(some.begin(), some.end(), [](const Variable& each) {
    return each.name == "decoder/embeddings/weight";
  });
  target->shape = {kTarget, 1};
  EXPECT_ERROR_WITH(FormatError, "decoder/embeddings/weight: of width 1, not 12",
                    read(file_of(some)));
  EXPECT_ERROR_WITH(FormatError, "4 words for a model of 6", read(whole, "a\nb\nc\nd\n"));
  EXPECT_ERROR_WITH(FormatError, "with 5 heads", read(whole, "a\n", "b\n", 5));
}

}  // namespace
}  // namespace heed::pretrained
