// A training loop whose losses and weights are printed to the bit: tests/python/test_same_bits.py
// writes the same loop in Python and compares.
#include <heed/heed.h>

#include <bit>
#include <cinttypes>
#include <cstdio>

namespace {

using namespace heed;

class Model : public nn::Module {
 public:
  nn::Embedding& words = child<nn::Embedding>("words", 17, 12);
  attention::TransformerEncoderLayer& layer = child<attention::TransformerEncoderLayer>(
      "layer",
      attention::TransformerOptions{.width = 12, .heads = 3, .hidden = 23, .dropout = 0.1});
  attention::AttentionPooling& pool = child<attention::AttentionPooling>("pool", 12);
  nn::Linear& out = child<nn::Linear>("out", 12, 5);

  Tensor operator()(const Tensor& ids) {
    const Scope scope(*this);
    return forwarded(out(pool(layer(words(ids)).context).context));
  }
};

// FNV-1a over all numbers, f32, in their order.
std::uint64_t fingerprint(const std::vector<Tensor>& all) {
  std::uint64_t hash = 14695981039346656037U;
  for (const Tensor& tensor : all) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(tensor.array().raw());
    for (Index i = 0; i < tensor.numel() * 4; ++i) hash = (hash ^ bytes[i]) * 1099511628211U;
  }
  return hash;
}

// What each kind of self-attention gives, and the gradient of its input.
void print_kinds() {
  for (const auto& kind : attention::self_attention_kinds()) {
    manual_seed(5);
    const attention::SelfAttentionSizes sizes{.width = 12, .heads = 3, .max_length = 16};
    const auto make = attention::self_attention_maker(kind.name, sizes);
    const auto attend = make ? make(0) : std::make_shared<attention::MultiHead>(12, 3);
    const Tensor x = randn({2, 11, 12}).set_requires_grad();
    const Tensor y = (*attend)(x, {.mask = attention::Mask::causal()}).context;
    sum(y * randn(y.shape())).backward();
    std::printf("%s %016" PRIx64 " %016" PRIx64 "\n", kind.name.c_str(),
                fingerprint({y.contiguous()}), fingerprint({x.grad().contiguous()}));
  }
}

}  // namespace

int main() {
  manual_seed(3);
  Model model;
  const Tensor ids = randint(17, Shape{7, 11}), labels = randint(5, Shape{7});
  optim::AdamW adam(model.parameters(), {.lr = 0.02, .weight_decay = 0.1});
  optim::CosineAnnealingLR schedule(adam, 20);
  for (int step = 0; step < 20; ++step) {
    adam.zero_grad();
    const Tensor loss = cross_entropy(model(ids), labels);
    loss.backward();
    const double norm = optim::clip_grad_norm(model.parameters(), 1.0);
    adam.step();
    schedule.step();
    std::printf("%08" PRIx32 " %016" PRIx64 " %016" PRIx64 "\n",
                std::bit_cast<std::uint32_t>(loss.item<float>()),
                std::bit_cast<std::uint64_t>(norm), fingerprint(model.parameters()));
  }
  print_kinds();
}
