#include "../../nn/bf16.h"

#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../io/saved_model.h"
#include "../../nn/int8.h"
#include "../../nn/nn.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"
#include "tagger.h"

namespace heed::nn {
namespace {

Tensor ids(const Shape& shape) {
  manual_seed(3);
  return randint(53, shape);
}

void round_weights(Module& module) {
  for (Tensor& tensor : module.parameters()) {
    if (tensor.rank() == 2) tensor.set_array(tensor.array().to(DType::bf16).to(DType::f32));
  }
}

TEST(ToBf16, AModelSaysWhatTheRoundedWeightsSay) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{5, 13}}) {
    manual_seed(5);
    Tagger model, rounded;
    rounded.load_state_dict(model.state_dict());
    round_weights(rounded);
    const NoGrad scope;
    const Tensor before = model(ids(shape));
    EXPECT_EQ(to_bf16(model), 3);
    EXPECT_EQ(to_bf16(model), 3);  // once more changes nothing
    const Tensor after = model(ids(shape));
    EXPECT_EQ(after.array().to_vector<float>(), rounded(ids(shape)).array().to_vector<float>());
    EXPECT_FALSE(allclose(after, before, 0, 1e-7));
    EXPECT_TRUE(allclose(after, before, 0, 0.05));
    EXPECT_EQ(model.norm.weight.array().data<float>()[0], 1);
  }
}

TEST(ToBf16, StacksOfLayersTakeIt) {
  manual_seed(7);
  attention::TransformerEncoder encoder(2, {.width = 32, .heads = 4, .hidden = 64, .dropout = 0});
  attention::TransformerEncoder rounded(2, {.width = 32, .heads = 4, .hidden = 64, .dropout = 0});
  rounded.load_state_dict(encoder.state_dict());
  round_weights(rounded);
  const NoGrad scope;
  const Tensor x(Generator(9).normal({3, 11, 32}, 0, 1, DType::f32));
  EXPECT_EQ(to_bf16(encoder), 8);  // linear1, linear2, self_attn and its out_proj of each
  EXPECT_EQ(encoder(x).output.array().to_vector<float>(),
            rounded(x).output.array().to_vector<float>());
}

TEST(ToBf16, ATableMayBeTheOutputLayerToo) {
  manual_seed(5);
  Embedding table(53, 32);
  const NoGrad scope;
  const Tensor x = randn({7, 32});
  const Tensor rounded(table.weight.array().to(DType::bf16).to(DType::f32));
  table.to_bf16();
  EXPECT_EQ(table.scores(x).array().to_vector<float>(),
            linear(x, rounded).array().to_vector<float>());
}

TEST(ToBf16, IsForWhatHasBeenTrained) {
  Tagger model;
  to_bf16(model);
  EXPECT_ERROR_WITH(ValueError, "state_dict: \"words.weight\" is in bf16, for good: keep the file",
                    model.state_dict());
  EXPECT_ERROR_WITH(ValueError, "module.to: \"words.weight\" is in bf16", model.to(DType::f64));
  Tagger doubles(DType::f64);
  EXPECT_ERROR_WITH(DTypeError, "Embedding: to_bf16 takes weights in f32, not f64[53, 32]",
                    to_bf16(doubles));
}

struct Mixed : Module {
  attention::MultiHead& first = child<attention::MultiHead>("first", 6, 2);
  Embedding& table = child<Embedding>("table", 7, 6);
  Linear& last = child<Linear>("last", 6, 3, true, DType::f64);
};

TEST(ToBf16, AllOfAModelOrNothing) {
  Mixed model;
  const auto before = model.state_dict();
  EXPECT_ERROR_WITH(DTypeError, "Linear: to_bf16 takes weights in f32, not f64[3, 6]",
                    to_bf16(model));
  for (const auto& [name, tensor] : model.state_dict()) {
    EXPECT_EQ(tensor.dtype(), name.starts_with("last") ? DType::f64 : DType::f32) << name;
  }
  model.load_state_dict(before);
  for (const Tensor& tensor : model.parameters()) EXPECT_TRUE(tensor.requires_grad());
}

// Gradients reach what is not a weight, so that a model in bf16 can be explained.
TEST(ToBf16, GradientsPass) {
  manual_seed(5);
  Tagger model, rounded;
  rounded.load_state_dict(model.state_dict());
  round_weights(rounded);
  to_bf16(model);
  for (Tagger* each : {&model, &rounded}) sum(square((*each)(ids({5, 13})))).backward();
  EXPECT_EQ(model.norm.weight.grad().array().to_vector<float>(),
            rounded.norm.weight.grad().array().to_vector<float>());
  EXPECT_EQ(model.hidden.bias.grad().array().to_vector<float>(),
            rounded.hidden.bias.grad().array().to_vector<float>());
}

TEST(ToBf16, AFileIsLoadedSo) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  manual_seed(5);
  Tagger model;
  const std::string path = folder / "tagger.safetensors";
  io::save(path, model);
  manual_seed(6);
  Tagger loaded;
  io::load(path, loaded, io::Quantize::bf16);
  to_bf16(model);
  const NoGrad scope;
  const Tensor words = ids({5, 7});
  EXPECT_EQ(loaded(words).array().to_vector<float>(), model(words).array().to_vector<float>());
}

TEST(ToBf16, CountsWhatIsInIt) {
  Sequential net(layer<WeightNormLinear>(7, 5), layer<Linear>(5, 3));
  EXPECT_EQ(to_bf16(net), 1);
  EXPECT_EQ(to_int8(net), 0);
  EXPECT_EQ(to_bf16(net), 1);
  net.at<WeightNormLinear>(0).to_bf16();
  const NoGrad scope;
  EXPECT_EQ(net(randn({2, 7})).shape(), (Shape{2, 3}));
}

}  // namespace
}  // namespace heed::nn
