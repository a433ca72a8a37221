#include "model.h"

#include "../../autograd/ops/conv/pool.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../io/saved_model.h"

namespace captioning {

Tensor Captioner::annotate(const Tensor& images) const {
  const auto halved = [](const Tensor& x) { return relu(max_pool2d(x, {.kernel = 2})); };
  Tensor map = halved(norm1(conv1(images)));
  map = halved(norm2(conv2(map)));
  map = halved(norm3(conv3(map)));  // [B, D, 6, 6]
  return transpose(flatten(map, 2), 1, 2) + positions;
}

Captioner::Writing Captioner::begin(const Tensor& annotations, Choices* choices, bool soft) const {
  const Tensor all = mean(annotations, {1});
  Writing writing;
  writing.state = {tanh(start_h(all)), tanh(start_c(all))};
  if (options.hard() && !soft) {
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
  const auto shape = [&context](Index width) {
    Shape wide = context.shape();
    wide[wide.rank() - 1] = width;
    return wide;
  };
  const auto rows = [&](const Tensor& x) {
    return reshape(broadcast_to(x, shape(x.size(-1))), {-1, x.size(-1)});
  };
  const LstmState after =
      cell(concat({rows(said), rows(context)}, -1), {rows(writing.state.h), rows(writing.state.c)});
  writing.state = {reshape(after.h, shape(H)), reshape(after.c, shape(H))};
  step.logits = out(said + from_state(writing.state.h) + from_context(context));
  return step;
}

io::DirectoryFiles files_of(const Describer& describer) {
  return io::ModelFiles("captioning")
      .options(describer.model->options)
      .text(io::kVocabularyFile, describer.vocabulary.serialize())
      .weights(*describer.model);
}

Describer load(const std::string& folder) {
  const io::ModelFolder saved(folder, "captioning");
  auto o = saved.options<ModelOptions>();
  Describer out{saved.parse<data::Vocabulary>(), nullptr};
  o.vocabulary = out.vocabulary.size();
  saved.expect({{"words.weight", {o.vocabulary, o.width}},
                {"conv1.weight", {o.channels, -1, -1, -1}},
                {"start_h.weight", {o.hidden, -1}}});
  out.model = saved.make<Captioner>(o);
  return out;
}

}  // namespace captioning
