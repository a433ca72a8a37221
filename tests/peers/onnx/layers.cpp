// Layers and small networks of them.
#include "../../../attention/attention.h"
#include "../../../autograd/autograd.h"
#include "../../../nn/nn.h"
#include "models.h"

namespace heed::onnx {
namespace {

Forward one(const std::function<Tensor(const Tensor&)>& f) {
  return [f](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x[0])}; };
}

template <class M>
Exported layer(const std::shared_ptr<M>& made, Input input) {
  return {made, {std::move(input)}, one([made](const Tensor& x) { return (*made)(x); })};
}

Exported mlp() {
  return layer(std::make_shared<nn::Sequential>(nn::Linear(7, 11), nn::ReLU(), nn::Linear(11, 5),
                                                nn::GELU(), nn::Linear(5, 3)),
               {"x", randn({3, 7}), {"batch"}});
}

Exported mlp_over_steps() {
  return layer(std::make_shared<nn::Sequential>(nn::Linear(7, 11), nn::Tanh(), nn::LayerNorm(11),
                                                nn::Linear(11, 5)),
               {"x", randn({3, 5, 7}), {"batch", "length"}});
}

Exported cnn() {
  return layer(std::make_shared<nn::Sequential>(
                   nn::Conv2d(3, 8, 3, 1, 1), nn::BatchNorm2d(8), nn::ReLU(), nn::MaxPool2d(2),
                   nn::Conv2d(8, 6, 3, 2), nn::GroupNorm(2, 6), nn::SiLU(), nn::Flatten(),
                   nn::Linear(6 * 3 * 3, 5)),
               {"image", randn({2, 3, 16, 16}), {"batch"}});
}

Exported recurrent(const std::string& kind, bool bidirectional, bool with_lengths) {
  const nn::RecurrentOptions options{
      .input = 7, .hidden = 5, .layers = 2, .bidirectional = bidirectional};
  Exported out;
  out.inputs = {{"x", randn({3, 6, 7}), {"batch", "length"}}};
  if (with_lengths) out.inputs.push_back(lengths_input(3, 6));
  const auto of = [&](const auto& made) {
    out.module = made;
    out.forward = [made, with_lengths](const std::vector<Tensor>& x) {
      const auto y = (*made)(x[0], with_lengths ? to_lengths(x[1]) : std::vector<Index>());
      if constexpr (requires { y.c_n; }) {
        return std::vector<Tensor>{y.output, y.h_n, y.c_n};
      } else {
        return std::vector<Tensor>{y.output, y.h_n};
      }
    };
  };
  if (kind == "gru") of(std::make_shared<nn::GRU>(options));
  if (kind == "lstm") of(std::make_shared<nn::LSTM>(options));
  if (kind == "rnn") {
    of(std::make_shared<nn::RNN>(
        nn::RNNOptions{.input = 7, .hidden = 5, .layers = 2, .bidirectional = bidirectional}));
  }
  return out;
}

}  // namespace

std::vector<NamedModel> layers() {
  std::vector<NamedModel> out = {{"mlp", mlp}, {"mlp_over_steps", mlp_over_steps}, {"cnn", cnn}};
  for (const std::string kind : {"gru", "lstm", "rnn"}) {
    for (const bool bidirectional : {false, true}) {
      for (const bool with_lengths : {false, true}) {
        out.push_back(
            {kind + (bidirectional ? "_bidirectional" : "") + (with_lengths ? "_lengths" : ""),
             [=] { return recurrent(kind, bidirectional, with_lengths); }});
      }
    }
  }
  return out;
}

}  // namespace heed::onnx
