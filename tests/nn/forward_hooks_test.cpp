#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <thread>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/nn.h"
#include "../support/places.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Prepare = const std::function<void(nn::Module&)>&;

const Tensor& first(const Tensor& y) { return y; }
const Tensor& first(const RnnResult& y) { return y.output; }
const Tensor& first(const LstmResult& y) { return y.output; }
const Tensor& first(const LstmState& y) { return y.h; }
const Tensor& first(const nn::PyramidOutput& y) { return y.output; }

// The first result of a layer that was prepared before the call.
template <class Layer, class... X>
Tensor call(Prepare prepare, Layer&& layer, const X&... x) {
  prepare(layer);
  return first(layer(x...));
}

template <class Layer>
Layer& evaluated(Layer&& layer) {
  layer.eval();
  return layer;
}

Tensor rows() { return randn({5, 3}); }
Tensor row() { return randn({2, 4, 7}); }
Tensor plane() { return randn({2, 4, 7, 6}); }
Tensor ids() { return zeros({5}, DType::i64); }
Tensor signs() { return ones({5}); }

// Every layer once at least; what follows a space tells the ways of one apart.
const std::map<std::string, std::function<Tensor(Prepare)>> kLayers = {
    {"CELU", [](Prepare p) { return call(p, nn::CELU(0.5), rows()); }},
    {"PairwiseDistance", [](Prepare p) { return call(p, nn::PairwiseDistance(), rows(), rows()); }},
    {"Softmax2d", [](Prepare p) { return call(p, nn::Softmax2d(), plane()); }},
    {"Softmin", [](Prepare p) { return call(p, nn::Softmin(-1), rows()); }},
    {"Threshold", [](Prepare p) { return call(p, nn::Threshold(0.5, 2), rows()); }},
    {"AdaptiveAvgPool1d", [](Prepare p) { return call(p, nn::AdaptiveAvgPool1d(3), row()); }},
    {"AdaptiveAvgPool2d", [](Prepare p) { return call(p, nn::AdaptiveAvgPool2d(3), plane()); }},
    {"AvgPool1d", [](Prepare p) { return call(p, nn::AvgPool1d({.kernel = 2}), row()); }},
    {"AvgPool2d", [](Prepare p) { return call(p, nn::AvgPool2d({.kernel = 2}), plane()); }},
    {"BCELoss",
     [](Prepare p) {
       return call(p, nn::BCELoss(), rand({5, 3}), zeros({5, 3}));
     }},
    {"BCEWithLogitsLoss",
     [](Prepare p) {
       return call(p, nn::BCEWithLogitsLoss(), rows(), zeros({5, 3}));
     }},
    {"BatchNorm1d", [](Prepare p) { return call(p, nn::BatchNorm1d(3), rows()); }},
    {"BatchNorm1d evaluated",
     [](Prepare p) { return call(p, evaluated(nn::BatchNorm1d(3)), rows()); }},
    {"BatchNorm1d untracked",
     [](Prepare p) { return call(p, nn::BatchNorm1d(3, {.track_running_stats = false}), rows()); }},
    {"BatchNorm2d", [](Prepare p) { return call(p, nn::BatchNorm2d(4), plane()); }},
    {"Bilinear", [](Prepare p) { return call(p, nn::Bilinear(3, 3, 2), rows(), rows()); }},
    {"CTCLoss",
     [](Prepare p) {
       return call(p, nn::CTCLoss(), randn({7, 1, 3}), ones({1, 2}, DType::i64),
                   std::vector<Index>{7}, std::vector<Index>{2});
     }},
    {"Conv1d", [](Prepare p) { return call(p, nn::Conv1d(4, 3, 2), row()); }},
    {"Conv2d", [](Prepare p) { return call(p, nn::Conv2d(4, 3, 2), plane()); }},
    {"Conv3d",
     [](Prepare p) {
       return call(p, nn::Conv3d(4, 3, 2), randn({2, 4, 3, 5, 2}));
     }},
    {"ConvTranspose1d", [](Prepare p) { return call(p, nn::ConvTranspose1d(4, 3, 2), row()); }},
    {"ConvTranspose2d", [](Prepare p) { return call(p, nn::ConvTranspose2d(4, 3, 2), plane()); }},
    {"CosineEmbeddingLoss",
     [](Prepare p) { return call(p, nn::CosineEmbeddingLoss(), rows(), rows(), signs()); }},
    {"CosineSimilarity", [](Prepare p) { return call(p, nn::CosineSimilarity(), rows(), rows()); }},
    {"CrossEntropyLoss", [](Prepare p) { return call(p, nn::CrossEntropyLoss(), rows(), ids()); }},
    {"Dropout", [](Prepare p) { return call(p, nn::Dropout(), rows()); }},
    {"Dropout evaluated", [](Prepare p) { return call(p, evaluated(nn::Dropout()), rows()); }},
    {"Dropout2d", [](Prepare p) { return call(p, nn::Dropout2d(), plane()); }},
    {"Dropout2d evaluated", [](Prepare p) { return call(p, evaluated(nn::Dropout2d()), plane()); }},
    {"ELU", [](Prepare p) { return call(p, nn::ELU(), rows()); }},
    {"Embedding", [](Prepare p) { return call(p, nn::Embedding(3, 2), ids()); }},
    {"Flatten", [](Prepare p) { return call(p, nn::Flatten(), row()); }},
    {"Function", [](Prepare p) { return call(p, nn::Function(relu), rows()); }},
    {"GELU", [](Prepare p) { return call(p, nn::GELU(), rows()); }},
    {"GLU", [](Prepare p) { return call(p, nn::GLU(1), row()); }},
    {"GRU",
     [](Prepare p) { return call(p, nn::GRU({.input = 7, .hidden = 3, .layers = 2}), row()); }},
    {"GRUCell", [](Prepare p) { return call(p, nn::GRUCell(3, 2), rows()); }},
    {"GroupNorm", [](Prepare p) { return call(p, nn::GroupNorm(2, 4), row()); }},
    {"Hardsigmoid", [](Prepare p) { return call(p, nn::Hardsigmoid(), rows()); }},
    {"Hardswish", [](Prepare p) { return call(p, nn::Hardswish(), rows()); }},
    {"Hardtanh", [](Prepare p) { return call(p, nn::Hardtanh(), rows()); }},
    {"Highway", [](Prepare p) { return call(p, nn::Highway(3), rows()); }},
    {"HingeEmbeddingLoss",
     [](Prepare p) { return call(p, nn::HingeEmbeddingLoss(), randn({5}), signs()); }},
    {"HuberLoss", [](Prepare p) { return call(p, nn::HuberLoss(), rows(), rows()); }},
    {"Identity", [](Prepare p) { return call(p, nn::Identity(), rows()); }},
    {"KLDivLoss",
     [](Prepare p) {
       return call(p, nn::KLDivLoss(), rows(), rand({5, 3}));
     }},
    {"L1Loss", [](Prepare p) { return call(p, nn::L1Loss(), rows(), rows()); }},
    {"LSTM",
     [](Prepare p) { return call(p, nn::LSTM({.input = 7, .hidden = 3, .layers = 2}), row()); }},
    {"LSTMCell", [](Prepare p) { return call(p, nn::LSTMCell(3, 2), rows()); }},
    {"LayerNorm", [](Prepare p) { return call(p, nn::LayerNorm({3}), rows()); }},
    {"LeakyReLU", [](Prepare p) { return call(p, nn::LeakyReLU(), rows()); }},
    {"Linear", [](Prepare p) { return call(p, nn::Linear(3, 2), rows()); }},
    {"LogSigmoid", [](Prepare p) { return call(p, nn::LogSigmoid(), rows()); }},
    {"LogSoftmax", [](Prepare p) { return call(p, nn::LogSoftmax(-1), rows()); }},
    {"LowRank",
     [](Prepare p) {
       return call(p, nn::LowRank(3, 2, {.rank = 2}), zeros({5, 2}), rows());
     }},
    {"MSELoss", [](Prepare p) { return call(p, nn::MSELoss(), rows(), rows()); }},
    {"MarginRankingLoss",
     [](Prepare p) { return call(p, nn::MarginRankingLoss(), rows(), rows(), rows()); }},
    {"MaxPool1d", [](Prepare p) { return call(p, nn::MaxPool1d({.kernel = 2}), row()); }},
    {"MaxPool2d", [](Prepare p) { return call(p, nn::MaxPool2d({.kernel = 2}), plane()); }},
    {"Maxout", [](Prepare p) { return call(p, nn::Maxout(3, 2), rows()); }},
    {"Mish", [](Prepare p) { return call(p, nn::Mish(), rows()); }},
    {"MultiMarginLoss", [](Prepare p) { return call(p, nn::MultiMarginLoss(), rows(), ids()); }},
    {"NLLLoss", [](Prepare p) { return call(p, nn::NLLLoss(), rows(), ids()); }},
    {"PReLU", [](Prepare p) { return call(p, nn::PReLU(), rows()); }},
    {"PositionalEncoding", [](Prepare p) { return call(p, nn::PositionalEncoding(7), row()); }},
    {"ReLU", [](Prepare p) { return call(p, nn::ReLU(), rows()); }},
    {"ReLU6", [](Prepare p) { return call(p, nn::ReLU6(), rows()); }},
    {"RMSNorm", [](Prepare p) { return call(p, nn::RMSNorm({3}), rows()); }},
    {"PyramidalLSTM",
     [](Prepare p) {
       return call(p, nn::PyramidalLSTM({.input = 7, .hidden = 3, .levels = 1}), row());
     }},
    {"RNN",
     [](Prepare p) { return call(p, nn::RNN({.input = 7, .hidden = 3, .layers = 2}), row()); }},
    {"RNNCell", [](Prepare p) { return call(p, nn::RNNCell(3, 2), rows()); }},
    {"Sequential",
     [](Prepare p) { return call(p, nn::Sequential(nn::layer<nn::Linear>(3, 2), relu), rows()); }},
    {"SELU", [](Prepare p) { return call(p, nn::SELU(), rows()); }},
    {"SiLU", [](Prepare p) { return call(p, nn::SiLU(), rows()); }},
    {"Sigmoid", [](Prepare p) { return call(p, nn::Sigmoid(), rows()); }},
    {"SmoothL1Loss", [](Prepare p) { return call(p, nn::SmoothL1Loss(), rows(), rows()); }},
    {"Softmax", [](Prepare p) { return call(p, nn::Softmax(-1), rows()); }},
    {"Softplus", [](Prepare p) { return call(p, nn::Softplus(), rows()); }},
    {"Softsign", [](Prepare p) { return call(p, nn::Softsign(), rows()); }},
    {"Tanh", [](Prepare p) { return call(p, nn::Tanh(), rows()); }},
    {"TripletMarginLoss",
     [](Prepare p) { return call(p, nn::TripletMarginLoss(), rows(), rows(), rows()); }},
    {"Unflatten",
     [](Prepare p) {
       return call(p, nn::Unflatten(-1, {7, 1}), row());
     }},
    {"Upsample", [](Prepare p) { return call(p, nn::Upsample({.scale = 2}), row()); }},
    {"WeightNormConv1d", [](Prepare p) { return call(p, nn::WeightNormConv1d(4, 3, 2), row()); }},
    {"WeightNormLinear", [](Prepare p) { return call(p, nn::WeightNormLinear(3, 2), rows()); }},
};

// Every class of nn/ that has a base and can be called.
std::set<std::string> callable_classes() {
  std::set<std::string> out;
  const std::regex head(R"(\nclass (\w+) : public [\w<>, ]+ \{)");
  for (const auto& file : std::filesystem::directory_iterator(source_root() / "nn")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream in(file.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (std::sregex_iterator at(text.begin(), text.end(), head), end; at != end; ++at) {
      const auto begin = static_cast<std::size_t>(at->position());
      const std::string body = text.substr(begin, text.find("\n};", begin) - begin);
      const bool activation = body.find(" : public Activation<") != std::string::npos;
      if ((*at)[1] == "Activation") continue;  // the base of those
      if (activation || body.find(" operator()(") != std::string::npos) out.insert((*at)[1]);
    }
  }
  return out;
}

TEST(ForwardHooks, AreTestedForEveryLayer) {
  std::set<std::string> listed;
  for (const auto& [name, run] : kLayers) listed.insert(name.substr(0, name.find(' ')));
  EXPECT_EQ(listed, callable_classes());
}

TEST(ForwardHooks, SeeAndReplaceWhatEveryLayerReturns) {
  for (const auto& [name, run] : kLayers) {
    SCOPED_TRACE(name);
    const Tensor other = tensor(42.0);
    const nn::Module* asked = nullptr;
    int calls = 0;
    Tensor seen;
    const Tensor got = run([&](nn::Module& layer) {
      asked = &layer;
      layer.register_forward_hook([&](const nn::Module& module, const Tensor& output) {
        EXPECT_EQ(&module, asked);
        ++calls;
        seen = output;
        return other;
      });
    });
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(seen.defined());
    EXPECT_TRUE(got.is_same(other));
  }
}

nn::ForwardHook keep(std::string& order, char letter) {
  return [&order, letter](const nn::Module&, const Tensor&) {
    order += letter;
    return Tensor();
  };
}

TEST(ForwardHooks, RunInOrderEachOnWhatTheOneBeforeGave) {
  nn::Function layer([](const Tensor& x) { return x; });
  const auto add = [&](double number) {
    return layer.register_forward_hook(
        [number](const nn::Module&, const Tensor& y) { return y * 10 + number; });
  };
  add(1);
  const HookId second = add(2);
  std::string order;
  layer.register_forward_hook(keep(order, 'k'));
  add(3);
  EXPECT_EQ(layer(tensor(0.0)).item(), 123);
  layer.remove_hook(second);
  layer.remove_hook(second);
  EXPECT_EQ(layer(tensor(0.0)).item(), 13);
  EXPECT_EQ(order, "kk");
}

TEST(ForwardHooks, MayRemoveAndAddHooksInTheCall) {
  nn::Function layer([](const Tensor& x) { return x; });
  std::string order;
  HookId own = 0, after = 0;
  own = layer.register_forward_hook([&](const nn::Module&, const Tensor&) {
    order += 'a';
    layer.remove_hook(own);
    layer.remove_hook(after);
    layer.register_forward_hook(keep(order, 'c'));
    return Tensor();
  });
  after = layer.register_forward_hook(keep(order, 'b'));
  layer(tensor(0.0));
  EXPECT_EQ(order, "ab");
  layer(tensor(0.0));
  EXPECT_EQ(order, "abc");
}

TEST(ForwardHooks, ThatThrowLeaveTheModuleUsable) {
  nn::Sequential net(nn::layer<nn::Linear>(3, 2), relu);
  const Tensor x = rows();
  const auto before = net(x).array().to_vector<float>();
  const HookId id = net.at<nn::Linear>(0).register_forward_hook(
      [](const nn::Module&, const Tensor&) -> Tensor { throw std::runtime_error("enough"); });
  EXPECT_ERROR(std::runtime_error, "enough", net(x));
  EXPECT_ERROR(std::runtime_error, "enough", net(x));
  net.at<nn::Linear>(0).remove_hook(id);
  EXPECT_EQ(net(x).array().to_vector<float>(), before);
}

TEST(ForwardHooks, HookTheGradientOfWhatAModuleReturns) {
  nn::Linear layer(3, 2);
  Tensor seen;
  layer.register_forward_hook([&](const nn::Module&, const Tensor& output) {
    output.register_hook([&](const Tensor& gradient) {
      seen = gradient;
      return gradient * 2;
    });
    return Tensor();
  });
  const Tensor y = layer(rows());
  const Tensor g = randn({5, 2});
  y.backward(g);
  ASSERT_TRUE(seen.defined());
  EXPECT_EQ(seen.array().to_vector<float>(), g.array().to_vector<float>());
  EXPECT_EQ(layer.bias.grad().array().to_vector<float>(),
            sum(g * 2, {0}).array().to_vector<float>());
}

TEST(ForwardHooks, WorkOnAModuleOfOnesOwnAndBesideThoseOfParameters) {
  struct Net : nn::Module {
    nn::Linear& inner = child<nn::Linear>("inner", 3, 2);
    Tensor operator()(const Tensor& x) const { return forwarded(tanh(inner(x))); }
  } net;
  std::string order;
  net.inner.register_forward_hook(keep(order, 'i'));
  const HookId outer = net.register_forward_hook(keep(order, 'o'));
  int gradients = 0;
  const HookId on_parameters = net.register_hook([&](const std::string&, const Tensor&) {
    ++gradients;
    return Tensor();
  });
  EXPECT_NE(outer, on_parameters);
  sum(net(rows())).backward();
  EXPECT_EQ(order, "io");
  EXPECT_EQ(gradients, 2);
  net.remove_hook(outer);
  sum(net(rows())).backward();
  EXPECT_EQ(order, "ioi");
  EXPECT_EQ(gradients, 4);
  net.remove_hook(on_parameters);
  sum(net(rows())).backward();
  EXPECT_EQ(gradients, 4);
}

TEST(ForwardHooks, AreHeldOffForOneModuleOnOneThread) {
  const nn::Linear layer(3, 2);
  nn::Linear held(3, 2), other(3, 2);
  std::string order;
  held.register_forward_hook(keep(order, 'h'));
  other.register_forward_hook(keep(order, 'o'));
  {
    const nn::HeldOff within(held);
    {
      const nn::HeldOff further(layer);
      held(rows());
      other(rows());
    }
    held(rows());
    std::thread([&] { held(rows()); }).join();
    EXPECT_TRUE(nn::HeldOff::now(held));
    EXPECT_FALSE(nn::HeldOff::now(layer));
  }
  held(rows());
  EXPECT_EQ(order, "ohh");
}

TEST(ForwardHooks, AreNotEmpty) {
  nn::Linear layer(3, 2);
  EXPECT_ERROR(ValueError, "register_forward_hook: the hook is empty",
               layer.register_forward_hook({}));
  EXPECT_ERROR(ValueError, "register_hook: the hook is empty", layer.register_hook({}));
}

}  // namespace
}  // namespace heed
