#include "model.h"

#include <fmt/format.h>

#include "../../attention/mechanisms/pairs/co_attention_hierarchy.h"
#include "../../attention/mechanisms/pairs/stacked.h"
#include "../../attention/mechanisms/pooling/spatial.h"
#include "../../attention/scores/additive.h"
#include "../../autograd/ops/conv/pool.h"
#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../io/saved_model.h"
#include "../../nn/batch_norm.h"
#include "../../nn/conv.h"

namespace vqa {
namespace {

constexpr Index kShrunk = 8;      // dots of a cell along each side
constexpr Index kLargest = 1024;  // dots of a side of an image

const ModelOptions& checked(const ModelOptions& options) {
  io::check_fields(options);
  for (const Index side : {options.height, options.width}) {
    if (side >= kShrunk && side <= kLargest && side % kShrunk == 0) continue;
    throw ValueError(fmt::format("images of {} x {}: sides must be multiples of {}, at most {}",
                                 options.height, options.width, kShrunk, kLargest));
  }
  return options;
}

Tensor halved(const Tensor& x) { return relu(max_pool2d(x, {.kernel = 2})); }

}  // namespace

Answerer::Answerer(const ModelOptions& o)
    : options(checked(o)),
      grid(child<nn::Sequential>(
          "grid", nn::Conv2d(3, o.hidden / 2, 3, 1, 1), nn::BatchNorm2d(o.hidden / 2), halved,
          nn::Conv2d(o.hidden / 2, o.hidden / 2, 3, 1, 1), nn::BatchNorm2d(o.hidden / 2), halved,
          nn::Conv2d(o.hidden / 2, o.hidden, 3, 1, 1), nn::BatchNorm2d(o.hidden), halved,
          // A cell sees a large thing whole.
          nn::Conv2d(o.hidden, o.hidden, 3, 1, 1), nn::BatchNorm2d(o.hidden), nn::ReLU())),
      positions(parameter("positions",
                          randn({o.height / kShrunk * (o.width / kShrunk), o.hidden}) * 0.1)),
      words(child<nn::Embedding>(
          "words", nn::EmbeddingOptions{.count = o.words, .width = o.hidden, .padding = 0})),
      question(child<nn::LSTM>("question", o.hidden, o.hidden)),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      classify(nullptr) {
  const Index width = make_attention();
  if (width == 0) return;
  classify = &child<nn::Sequential>("classify", nn::Linear(width, 2 * o.hidden), nn::Tanh(),
                                    nn::Dropout(o.dropout), nn::Linear(2 * o.hidden, o.answers));
}

Index Answerer::make_attention() {
  using namespace attention;
  using Looked = std::vector<Tensor>;
  const Index d = options.hidden;
  const std::string& kind = options.attention;
  if (kind == "blind") {
    look_ = [](const Asked& asked, Looked&) { return asked.question; };
    return d;
  }
  // What was seen is compared with the question, feature by feature.
  const auto beside = [](const Tensor& q, const Tensor& v) { return concat({q, v, q * v}, -1); };
  if (kind == "hierarchy") {
    const CoAttentionHierarchyOptions o{.width = d, .answers = options.answers};
    look_ = [&levels = child<CoAttentionHierarchy>("attention", o)](const Asked& asked,
                                                                    Looked& looked) {
      const auto found = levels(asked.words, asked.cells, asked.lengths, Mask(), true);
      for (const CoAttentionOutput& level : found.levels) looked.push_back(level.image.weights);
      return found.logits;
    };
    return 0;
  }
  if (kind == "none") {
    look_ = [=](const Asked& asked, Looked&) {
      return beside(asked.question, mean(asked.cells, {1}));
    };
  } else if (kind == "guided" || kind == "boxes") {
    look_ = [=, &score = child<Additive>("attention", d, d, d)](const Asked& asked,
                                                                Looked& looked) {
      const Tensor& of = asked.boxes;
      const Tensor things = of.defined() ? matmul(of, asked.cells) : asked.cells;
      const Tensor real = of.defined() ? sum(of, {2}) > 0.5 : Tensor();
      const Attended found =
          box_attention(score, asked.question, things, {.need_weights = true}, real);
      const Tensor& w = found.weights;
      looked = {of.defined() ? squeeze(matmul(unsqueeze(w, 1), of), 1) : w};
      return beside(asked.question, found.context);
    };
  } else if (kind == "stacked") {
    const StackedOptions o{.width = d, .hidden = d, .hops = options.hops};
    look_ = [=, &stacked = child<StackedAttention>("attention", o)](const Asked& asked,
                                                                    Looked& looked) {
      const StackedOutput found = stacked(asked.question, asked.cells, Mask(), true);
      looked = found.weights;
      return beside(asked.question, found.context);
    };
  } else {
    const CoAttentionOptions o{.question_width = d, .image_width = d, .hidden = d};
    const CoAttention* both = nullptr;
    if (kind == "parallel") both = &child<ParallelCoAttention>("attention", o);
    if (kind == "alternating") both = &child<AlternatingCoAttention>("attention", o);
    look_ = [=](const Asked& asked, Looked& looked) {
      const Mask real = Mask::lengths(asked.lengths, asked.states.size(1));
      const CoAttentionOutput found = (*both)(asked.states, asked.cells, real, Mask(), true);
      looked = {found.image.weights};
      return beside(found.question.context, found.image.context);
    };
  }
  return 3 * d;
}

Answer Answerer::operator()(const Batch& batch) const {
  const Scope scope(*this);
  const Tensor vectors = dropout(words(batch.words));
  const LstmResult read = question(vectors, batch.lengths);
  Asked asked{vectors, read.output, squeeze(read.h_n, 0), batch.lengths, {}, {}};
  if (options.attention != "blind") {
    const Tensor cells = transpose(flatten(grid(batch.images), 2), 1, 2) + positions;
    asked.cells = dropout(index_select(cells, 0, batch.which));
  }
  if (options.attention == "boxes") {
    const Tensor covered = flatten(avg_pool2d(batch.boxes, {.kernel = kShrunk}), 2);
    const Tensor shares = covered / clamp(sum(covered, {2}, true), 1e-6);
    asked.boxes = index_select(shares, 0, batch.which);
  }
  Answer out;
  const Tensor made = look_(asked, out.looked);
  for (Tensor& look : out.looked) {
    look = reshape(look, {-1, options.height / kShrunk, options.width / kShrunk});
  }
  out.logits = classify ? (*classify)(dropout(made)) : made;
  return out;
}

io::DirectoryFiles files_of(const Expert& expert) {
  return io::ModelFiles("vqa")
      .options(expert.model->options)
      .set("height", expert.model->options.height)
      .set("width", expert.model->options.width)
      .text(io::kVocabularyFile, expert.words.serialize())
      .text("answers.txt", expert.answers.serialize())
      .weights(*expert.model);
}

Expert load(const std::string& folder) {
  const io::ModelFolder saved(folder, "vqa");
  auto o = saved.options<ModelOptions>();
  Expert out{saved.parse<data::Vocabulary>(), saved.parse<data::Vocabulary>("answers.txt"),
             nullptr};
  o.words = out.words.size();
  o.answers = out.answers.size();
  o.height = saved.config().get_int("height", kShrunk, kLargest);
  o.width = saved.config().get_int("width", kShrunk, kLargest);
  saved.expect({{"words.weight", {o.words, o.hidden}}});
  out.model = saved.make<Answerer>(o);
  return out;
}

}  // namespace vqa
