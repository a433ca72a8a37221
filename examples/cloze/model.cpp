#include "model.h"

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/generator.h"
#include "../../data/skip_gram.h"
#include "../../io/saved_model.h"

namespace cloze {
namespace {

constexpr const char* kKind = "cloze";
constexpr const char* kLettersFile = "letters.txt";
using data::Vocabulary;

}  // namespace

ClozeReader::ClozeReader(const ModelOptions& o)
    : options(io::checked_fields(o)),
      words(child<nn::Embedding>("words", nn::EmbeddingOptions{.count = o.vocabulary + o.unknown,
                                                               .width = o.width,
                                                               .dtype = o.dtype})),
      marks(child<nn::Embedding>(
          "marks",
          nn::EmbeddingOptions{.count = data::kClozeMarks, .width = o.marks, .dtype = o.dtype})),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      asked(parameter("asked", o.attention == "none"
                                   ? default_generator().uniform({2 * o.hidden}, -0.1, 0.1, o.dtype)
                                   : Tensor())) {
  if (o.spelling) {
    letters = &child<nn::Embedding>("letters", nn::EmbeddingOptions{.count = o.letters,
                                                                    .width = o.width,
                                                                    .padding = Vocabulary::kPadding,
                                                                    .dtype = o.dtype});
  }
  const Index input = o.width + o.marks;
  if (o.attention == "gated") {
    gated = &child<attention::GatedAttentionReader>(
        "gated", attention::GatedAttentionOptions{.input = input,
                                                  .hidden = o.hidden,
                                                  .hops = o.hops,
                                                  .dropout = o.dropout,
                                                  .dtype = o.dtype});
    return;
  }
  const nn::GRUOptions both{
      .input = input, .hidden = o.hidden, .bidirectional = true, .dtype = o.dtype};
  passage = &child<nn::GRU>("passage", both);
  if (o.attention != "none") query = &child<nn::GRU>("query", both);
  if (o.attention != "aoa") sum = &child<attention::AttentionSum>("sum");
  if (!sum) over_attention = &child<attention::AttentionOverAttention>("over_attention");
}

Tensor ClozeReader::vectors(const data::ClozeBatch::Side& side) const {
  Tensor of_words = words(Tensor(side.words));
  if (letters != nullptr) of_words = of_words + heed::sum((*letters)(Tensor(side.letters)), {2});
  return dropout(concat({of_words, marks(Tensor(side.marks))}, -1));
}

Reading ClozeReader::operator()(const data::ClozeBatch& batch, bool need_weights) const {
  const Scope scope(*this);
  const std::vector<Index>&lengths = batch.passage.lengths, &asks = batch.query.lengths;
  const auto mask = attention::Mask::lengths(lengths, batch.places.size(1));
  const Tensor document = vectors(batch.passage);
  Reading out;
  Tensor& weights = out.seen.weights;
  if (gated != nullptr) {
    weights = (*gated)(document, vectors(batch.query), lengths, asks).weights;
  } else if (const Tensor states = dropout((*passage)(document, lengths).output); !query) {
    weights = (*sum)(states, expand(unsqueeze(asked, 0), {states.size(0), -1}), mask);
  } else if (const RnnResult read = (*query)(vectors(batch.query), asks); over_attention) {
    const auto words_asked = attention::Mask::lengths(asks, batch.query.words.size(1));
    out.seen = (*over_attention)(states, dropout(read.output), mask, words_asked, need_weights);
  } else {
    const Tensor ends = concat({select(read.h_n, 0, 0), select(read.h_n, 0, 1)}, -1);
    weights = (*sum)(states, dropout(ends), mask);
  }
  out.words = attention::pointer_sum(weights, Tensor(batch.places), batch.candidates, mask);
  return out;
}

Tensor loss_of(const ClozeReader& reader, const data::ClozeBatch& batch) {
  return -mean(log(gather(reader(batch).words, 1, Tensor(batch.answers)) + 1e-9));
}

Reader make_reader(ModelOptions options, const std::vector<Cloze>& rows, Index min_count,
                   Generator& generator) {
  Reader out{data::cloze_numbers(rows, min_count), nullptr, {min_count}};
  options.vocabulary = out.numbers.words.size();
  options.letters = out.numbers.letters.size();
  out.model = std::make_unique<ClozeReader>(options);
  out.numbers.unknown = options.unknown;
  out.numbers.overlap = options.overlap;
  std::vector<std::vector<Index>> texts;
  for (const auto& each : data::cloze_sentences(rows)) texts.push_back(out.numbers.words.ids(each));
  const NoGrad scope;
  const Array known =
      data::skip_gram(texts, options.vocabulary, {.width = options.width}, generator);
  Tensor& weight = out.model->words.weight;
  const Tensor others = 0.3 * narrow(weight, 0, options.vocabulary, options.unknown);
  weight.copy_(concat({Tensor(known.to(options.dtype)), others}, 0));
  if (nn::Embedding* letters = out.model->letters) letters->weight.copy_(0.1 * letters->weight);
  return out;
}

io::DirectoryFiles files_of(const Reader& reader) {
  return io::ModelFiles(kKind)
      .options(reader.model->options)
      .options(reader.known)
      .text(io::kVocabularyFile, reader.numbers.words.serialize())
      .text(kLettersFile, reader.numbers.letters.serialize())
      .weights(*reader.model);
}

Reader load_reader(const std::string& folder) {
  const io::ModelFolder saved(folder, kKind);
  auto options = saved.options<ModelOptions>();
  Reader out{{saved.parse<Vocabulary>(), saved.parse<Vocabulary>(kLettersFile), options.unknown,
              options.overlap},
             nullptr};
  options.vocabulary = out.numbers.words.size();
  options.letters = out.numbers.letters.size();
  saved.expect({{"words.weight", {options.vocabulary + options.unknown, options.width}}});
  out.known = saved.known_options(out.known);
  out.model = saved.make<ClozeReader>(options);
  return out;
}

}  // namespace cloze
