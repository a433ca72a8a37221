#include "../../pretrained/llama2c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::pretrained {
namespace {

struct Sizes {
  std::int32_t width = 12, hidden = 7, layers = 2, heads = 3, kv_heads = 1, vocabulary = 11,
               context = 5;
  bool tied = true;
};

using Numbers = std::vector<double>;

// A file of drawn numbers, and the numbers by their parts.
struct Made {
  Sizes sizes;
  std::string bytes;
  std::vector<Numbers> parts;  // in the file's order

  explicit Made(const Sizes& of = {}) : sizes(of) {
    const std::int32_t header[] = {of.width,  of.hidden,   of.layers,
                                   of.heads,  of.kv_heads, of.tied ? of.vocabulary : -of.vocabulary,
                                   of.context};
    bytes.assign(reinterpret_cast<const char*>(header), sizeof header);
    const Index w = of.width, head = w / of.heads, keys = head * of.kv_heads, l = of.layers;
    Generator generator(3);
    for (const Index count :
         {of.vocabulary * w, l * w, l * w * w, l * keys * w, l * keys * w, l * w * w, l * w,
          l * of.hidden * w, l * w * of.hidden, l * of.hidden * w, w, of.context * head / 2,
          of.context * head / 2, of.tied ? 0 : of.vocabulary * w}) {
      const auto drawn = generator.normal(Shape{count}, 0, 0.4).to_vector<float>();
      bytes.append(reinterpret_cast<const char*>(drawn.data()), drawn.size() * sizeof(float));
      parts.emplace_back(drawn.begin(), drawn.end());
    }
  }
};

// y = W x, W [rows, |x|] from `at` on.
Numbers times(const Numbers& w, Index at, const Numbers& x, Index rows) {
  Numbers out(static_cast<std::size_t>(rows));
  for (std::size_t r = 0; r < out.size(); ++r) {
    for (std::size_t c = 0; c < x.size(); ++c) {
      out[r] += w[static_cast<std::size_t>(at) + r * x.size() + c] * x[c];
    }
  }
  return out;
}

Numbers rms(const Numbers& x, const Numbers& weight, Index at) {
  double sum = 0;
  for (const double each : x) sum += each * each;
  Numbers out = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] *= weight[static_cast<std::size_t>(at) + i] /
              std::sqrt(sum / static_cast<double>(x.size()) + 1e-5);
  }
  return out;
}

void turn(Numbers& x, Index place, Index head) {
  for (std::size_t i = 0; i < x.size(); i += 2) {
    const auto pair = static_cast<double>(static_cast<Index>(i) % head);
    const double angle =
        static_cast<double>(place) * std::pow(10000.0, -pair / static_cast<double>(head));
    const double a = x[i], b = x[i + 1];
    x[i] = a * std::cos(angle) - b * std::sin(angle);
    x[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
}

// The logits of every place, by the definition, a number at a time.
std::vector<Numbers> plain(const Made& made, const std::vector<Index>& ids) {
  const Sizes& s = made.sizes;
  const auto& [embedding, norm1, wq, wk, wv, wo, norm2, w1, w2, w3, last] = std::tie(
      made.parts[0], made.parts[1], made.parts[2], made.parts[3], made.parts[4], made.parts[5],
      made.parts[6], made.parts[7], made.parts[8], made.parts[9], made.parts[10]);
  const Index w = s.width, head = w / s.heads, kv = head * s.kv_heads,
              shared = s.heads / s.kv_heads;
  std::vector<std::vector<Numbers>> keys(static_cast<std::size_t>(s.layers)), values = keys;
  std::vector<Numbers> out;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const auto row = embedding.begin() + ids[t] * w;
    Numbers x(row, row + w);
    for (Index l = 0; l < s.layers; ++l) {
      auto &past = keys[static_cast<std::size_t>(l)], &seen = values[static_cast<std::size_t>(l)];
      const Numbers n = rms(x, norm1, l * w);
      Numbers q = times(wq, l * w * w, n, w);
      past.push_back(times(wk, l * kv * w, n, kv));
      seen.push_back(times(wv, l * kv * w, n, kv));
      turn(q, static_cast<Index>(t), head);
      turn(past.back(), static_cast<Index>(t), head);
      Numbers context(static_cast<std::size_t>(w));
      for (Index h = 0; h < s.heads; ++h) {
        Numbers weights;
        double sum = 0;
        for (const Numbers& key : past) {
          double score = 0;
          for (Index i = 0; i < head; ++i) {
            score += q[static_cast<std::size_t>(h * head + i)] *
                     key[static_cast<std::size_t>(h / shared * head + i)];
          }
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(head))));
          sum += weights.back();
        }
        for (std::size_t k = 0; k < seen.size(); ++k) {
          for (Index i = 0; i < head; ++i) {
            context[static_cast<std::size_t>(h * head + i)] +=
                weights[k] / sum * seen[k][static_cast<std::size_t>(h / shared * head + i)];
          }
        }
      }
      const Numbers projected = times(wo, l * w * w, context, w);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += projected[i];
      const Numbers m = rms(x, norm2, l * w);
      Numbers inner = times(w1, l * s.hidden * w, m, s.hidden);
      const Numbers gate = times(w3, l * s.hidden * w, m, s.hidden);
      for (std::size_t i = 0; i < inner.size(); ++i) {
        inner[i] *= gate[i] / (1 + std::exp(-inner[i]));
      }
      const Numbers read = times(w2, l * w * s.hidden, inner, w);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += read[i];
    }
    out.push_back(times(s.tied ? embedding : made.parts[13], 0, rms(x, last, 0), s.vocabulary));
  }
  return out;
}

TEST(Llama2c, IsItsDefinition) {
  for (const bool tied : {true, false}) {
    for (const std::int32_t kv_heads : {1, 3}) {
      const Made made({.kv_heads = kv_heads, .tied = tied});
      const TemporaryFolder folder;
      const auto model = read_llama2c(folder.write("model.bin", made.bytes));
      const std::vector<Index> ids = {1, 7, 7, 10, 0};
      const NoGrad scope;
      const Tensor logits = (*model)(Array::from(ids, Shape{1, 5}));
      const std::vector<Numbers> wanted = plain(made, ids);
      DecoderOnly::State state;
      for (std::size_t t = 0; t < ids.size(); ++t) {
        const Tensor step =
            model->step(Array::from(std::vector<Index>{ids[t]}, Shape{1, 1}), state);
        for (std::size_t i = 0; i < 11; ++i) {
          const auto at = static_cast<Index>(i);
          EXPECT_NEAR(logits[0][static_cast<Index>(t)][at].item(), wanted[t][i], 1e-4);
          EXPECT_NEAR(step[0][0][at].item(), wanted[t][i], 1e-4);
        }
      }
      EXPECT_THROW(model->step(Array::from(std::vector<Index>{1}, Shape{1, 1}), state), ShapeError);
      EXPECT_THROW((*model)(Array::from(std::vector<Index>{11}, Shape{1, 1})), IndexError);
    }
  }
}

TEST(Llama2c, IsWrittenAsItWasRead) {
  const TemporaryFolder folder;
  for (const bool tied : {true, false}) {
    const Made made({.kv_heads = 3, .tied = tied});
    const auto model = read_llama2c(folder.write("model.bin", made.bytes));
    write_llama2c(folder / "again.bin", *model);
    const std::string again = TemporaryFolder::get(folder / "again.bin");
    ASSERT_EQ(again.size(), made.bytes.size());
    // Tables that nobody reads stand between: here they are what they say.
    const std::size_t head = tied ? 0 : 11 * 12 * sizeof(float), tables = 2 * 5 * 2 * sizeof(float),
                      before = again.size() - head - tables;
    EXPECT_EQ(again.substr(0, before), made.bytes.substr(0, before));
    EXPECT_EQ(again.substr(before + tables), made.bytes.substr(before + tables));
    float table[20];
    std::memcpy(table, again.data() + before, sizeof table);
    EXPECT_FLOAT_EQ(table[2 * 3 + 1], static_cast<float>(std::cos(3 * std::pow(10000.0, -0.5))));
    EXPECT_FLOAT_EQ(table[10 + 2 * 4], static_cast<float>(std::sin(4.0)));
    model->to(DType::f64);  // whose numbers go back into f32
    write_llama2c(folder / "wide.bin", *model);
    EXPECT_EQ(TemporaryFolder::get(folder / "wide.bin"), again);
  }
  using Stack = attention::TransformerOptions;
  const Stack plain{.width = 4,
                    .heads = 2,
                    .hidden = 2,
                    .dropout = 0,
                    .pre_norm = true,
                    .norm = attention::Norm::rms,
                    .activation = attention::Activation::swiglu,
                    .bias = false,
                    .rotary = true};
  const auto write = [&](const std::function<void(Stack&)>& change) {
    Stack stack = plain;
    change(stack);
    const DecoderOnly model({.vocabulary = 3, .context = 2, .layers = 1, .stack = stack});
    write_llama2c(folder / "made.bin", model);
  };
  write([](Stack&) {});
  // Each would be read as something else.
  const std::vector<std::function<void(Stack&)>> others{
      [](Stack& s) { s.rotary = false; },
      [](Stack& s) { s.rotary_options.base = 500000; },
      [](Stack& s) { s.rotary_options.layout = attention::RotaryLayout::halves; },
      [](Stack& s) { s.norm = attention::Norm::layer; },
      [](Stack& s) { s.eps = 1e-6; },
      [](Stack& s) { s.pre_norm = false; },
      [](Stack& s) { s.both_norms = true; },
      [](Stack& s) { s.parallel = true; },
      [](Stack& s) { s.rotary_options.scaling.attention_factor = 1.5; },
      [](Stack& s) {
        s.experts = [](attention::MixtureOfExpertsOptions experts, Index) {
          experts.experts = 2;
          return experts;
        };
      },
      [](Stack& s) { s.bias = true; },
      [](Stack& s) { s.activation = attention::Activation::geglu; },
      [](Stack& s) {
        s.self_heads = [](attention::MultiHeadOptions heads, Index) { return heads; };
      }};
  for (const auto& change : others) {
    EXPECT_ERROR_WITH(ValueError, "not of LLaMA's kind", write(change));
  }
}

TEST(Llama2c, FilesAreReadStrictly) {
  const TemporaryFolder folder;
  const Made made;
  for (std::size_t cut = 0; cut < made.bytes.size(); cut += 41) {
    EXPECT_ERROR_WITH(FormatError, "the file ends within",
                      read_llama2c(folder.write("m", made.bytes.substr(0, cut))));
  }
  EXPECT_ERROR_WITH(FormatError, "1 bytes too many",
                    read_llama2c(folder.write("m", made.bytes + "x")));
  for (const std::size_t field : {0u, 1u, 2u, 3u, 4u, 5u, 6u}) {
    for (const std::int32_t bad : {0, -2147483647 - 1, 2147483647, 5}) {
      std::string bytes = made.bytes;
      std::memcpy(bytes.data() + 4 * field, &bad, sizeof bad);
      if (std::memcmp(bytes.data(), made.bytes.data(), bytes.size()) == 0) continue;
      EXPECT_THROW(read_llama2c(folder.write("m", bytes)), FormatError) << field << " " << bad;
    }
  }
}

}  // namespace
}  // namespace heed::pretrained
