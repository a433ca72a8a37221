#include "model.h"

#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/pool.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"

namespace captioning {

using heed::DType;

Look look_of(const std::string& name) {
  if (name == "soft") return Look::soft;
  if (name == "hard") return Look::hard;
  throw heed::ValueError("attention: '" + name + "' is none of soft, hard");
}

const char* name(Look look) { return look == Look::soft ? "soft" : "hard"; }

namespace {

const heed::Conv2dOptions kSame = {.padding = 1};

nn::BatchNormOptions norm_of(const ModelOptions& options) { return {.dtype = options.dtype}; }

}  // namespace

Captioner::Captioner(const ModelOptions& given)
    : options(given),
      conv1(child<nn::Conv2d>("conv1", 3, given.channels, 3, kSame, false, given.dtype)),
      norm1(child<nn::BatchNorm2d>("norm1", given.channels, norm_of(given))),
      conv2(child<nn::Conv2d>("conv2", given.channels, 2 * given.channels, 3, kSame, false,
                              given.dtype)),
      norm2(child<nn::BatchNorm2d>("norm2", 2 * given.channels, norm_of(given))),
      conv3(child<nn::Conv2d>("conv3", 2 * given.channels, 4 * given.channels, 3, kSame, false,
                              given.dtype)),
      norm3(child<nn::BatchNorm2d>("norm3", 4 * given.channels, norm_of(given))),
      positions(parameter("positions",
                          heed::randn({kCells * kCells, 4 * given.channels}, given.dtype) * 0.5)),
      start_h(child<nn::Linear>("start_h", 4 * given.channels, given.hidden, true, given.dtype)),
      start_c(child<nn::Linear>("start_c", 4 * given.channels, given.hidden, true, given.dtype)),
      words(child<nn::Embedding>("words", nn::EmbeddingOptions{.count = given.vocabulary,
                                                               .width = given.width,
                                                               .dtype = given.dtype})),
      hard(child<attention::HardAttention>(
          "hard", attention::HardOptions{.score = std::make_shared<attention::Additive>(
                                             given.hidden, 4 * given.channels, given.hidden, true,
                                             given.dtype),
                                         .mean_probability = given.mean_probability})),
      gate(child<nn::Linear>("gate", given.hidden, 1, true, given.dtype)),
      cell(child<nn::LSTMCell>("cell", given.width + 4 * given.channels, given.hidden, true,
                               given.dtype)),
      from_state(child<nn::Linear>("from_state", given.hidden, given.width, true, given.dtype)),
      from_context(
          child<nn::Linear>("from_context", 4 * given.channels, given.width, false, given.dtype)),
      out(child<nn::Linear>("out", given.width, given.vocabulary, true, given.dtype)) {}

Tensor Captioner::annotate(const Tensor& images) const {
  const auto halved = [](const Tensor& x) { return relu(max_pool2d(x, {.kernel = 2})); };
  Tensor map = halved(norm1(conv1(images)));
  map = halved(norm2(conv2(map)));
  map = halved(norm3(conv3(map)));  // [B, D, 6, 6]
  return transpose(flatten(map, 2), 1, 2) + positions;
}

Captioner::Writing Captioner::begin(const Tensor& annotations, heed::Choices* choices) const {
  const Tensor all = mean(annotations, {1});
  Writing writing;
  writing.state = {tanh(start_h(all)), tanh(start_c(all))};
  if (options.look == Look::hard) {
    writing.hard = hard.begin(annotations, annotations, {.choices = choices});
  } else {
    writing.soft.emplace(hard.score, annotations, annotations);
  }
  return writing;
}

Captioner::Step Captioner::step(const Tensor& word, Writing& writing) const {
  const Tensor before = writing.state.h;
  Step step;
  Tensor context;
  if (writing.hard) {
    const attention::HardAttentionOutput seen = writing.hard->step(before);
    context = seen.context;
    step.alpha = seen.weights;
    step.looked = seen.choice.weights();
  } else {
    const attention::Attended seen = writing.soft->step(before, {.need_weights = true});
    context = seen.context;
    step.looked = step.alpha = seen.weights;
  }
  context = sigmoid(gate(before)) * context;
  const Tensor said = words(word);
  // The cell takes one axis of examples: K draws of B scenes, which share words and first state.
  const auto rows = [&context](const Tensor& x) {
    heed::Shape shape = context.shape();
    shape[shape.rank() - 1] = x.size(-1);
    return reshape(broadcast_to(x, shape), {-1, x.size(-1)});
  };
  const heed::LstmState after = cell(heed::concat({rows(said), rows(context)}, -1),
                                     {rows(writing.state.h), rows(writing.state.c)});
  heed::Shape shape = context.shape();
  shape[shape.rank() - 1] = options.hidden;
  writing.state = {reshape(after.h, shape), reshape(after.c, shape)};
  step.logits = out(said + from_state(writing.state.h) + from_context(context));
  return step;
}

}  // namespace captioning
