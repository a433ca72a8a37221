#include "model.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../attention/mechanisms/decoders/copying.h"
#include "../../attention/mechanisms/decoders/summariser_writing.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/number_in.h"
#include "../../data/coder.h"
#include "../../io/saved_model.h"

namespace summaries {
namespace {

constexpr Index kContext = 5, kWindow = 2;    // of ABS, as in its paper
constexpr Index kLongest = 30;                // words of a title that is written
constexpr Index kOften = 8, kOftenWidth = 8;  // a word comes once, twice, .., more often

std::vector<Index> lengths_of(const Articles& articles) {
  std::vector<Index> out;
  for (const data::Article& article : articles) out.push_back(article.length());
  return out;
}

}  // namespace

Editor::Editor(const ModelOptions& o)
    : options(io::checked_fields(o)), dropout(child<nn::Dropout>("dropout", o.dropout)) {
  const Index V = o.vocabulary, W = o.width, H = o.hidden;
  if (o.attention == "abs") {
    // Words, widths, context, window, hidden, start.
    const attention::SummariserOptions rush{V, V, H, W, kContext, kWindow, H, data::kBegin};
    abs = &child<attention::Summariser>("abs", rush);
    return;
  }
  words =
      &child<nn::Embedding>("words", nn::EmbeddingOptions{.count = V, .width = W, .padding = 0});
  if (o.picks()) {
    const auto gru = [&](const char* name, Index input) {
      return &child<nn::GRU>(name,
                             nn::GRUOptions{.input = input, .hidden = H, .bidirectional = true});
    };
    often = &child<nn::Embedding>("often", kOften, kOftenWidth);
    word_gru = gru("word_gru", W + kOftenWidth);
    if (o.attention == "pointer") pool = &child<attention::AttentionPooling>("pool", 2 * H);
    sentence_gru = gru("sentence_gru", 2 * H);
    point = &child<attention::SubsetPointer>("point", 2 * H, H);
    return;
  }
  encoder =
      &child<nn::LSTM>("encoder", nn::LSTMOptions{.input = W, .hidden = H, .bidirectional = true});
  start_h = &child<nn::Linear>("start_h", 2 * H, H);
  start_c = &child<nn::Linear>("start_c", 2 * H, H);
  attention::PointerGeneratorOptions see{W, 2 * H, H, 0, V};
  see.coverage = o.attention == "coverage";
  see.copy = o.copies();
  decoder = &child<attention::PointerGenerator>("decoder", see);
}

Tensor Editor::read(const Articles& articles, const data::Vocabulary& vocabulary) const {
  std::vector<Index> ids, times, lengths;
  for (const data::Article& article : articles) {
    for (const Index n : data::word_times(article)) times.push_back(std::min(n, kOften) - 1);
    for (const auto& sentence : article.words) {
      for (const std::string& word : sentence) ids.push_back(vocabulary.id(word));
      lengths.push_back(static_cast<Index>(sentence.size()));
    }
  }
  const Tensor seen = concat({(*words)(Array::from(ids)), (*often)(Array::from(times))}, -1);
  const Packed in{dropout(seen), offsets_of(lengths)};
  const Packed states{(*word_gru)(in).output, in.offsets};
  const Tensor pooled = pool ? (*pool)(states).context : attention::average_pooling(states);
  const Packed sentences{dropout(pooled), offsets_of(lengths_of(articles))};
  return unpack({(*sentence_gru)(sentences).output, sentences.offsets});
}

data::CopyBatch Editor::batch_of(const Articles& articles,
                                 const data::Vocabulary& vocabulary) const {
  std::vector<data::CopyExample> examples;
  for (const data::Article& article : articles)
    examples.push_back(
        {article.first_words(static_cast<std::size_t>(options.source)), article.title});
  return data::copy_batch(examples, vocabulary);
}

attention::PointerGenerator::State Editor::read(const data::CopyBatch& batch) const {
  const LstmResult read = (*encoder)(dropout((*words)(batch.source)), batch.lengths);
  const Tensor last = concat({select(read.h_n, 0, 0), select(read.h_n, 0, 1)}, -1);
  return decoder->start(read.output, options.copies() ? batch.extended : batch.source,
                        attention::Mask::lengths(batch.lengths, batch.source.size(1)),
                        {tanh((*start_h)(last)), tanh((*start_c)(last))});
}

train::Loss Editor::loss(const Articles& articles, const data::Vocabulary& vocabulary,
                         double coverage) const {
  double count = 0;
  if (point) {
    std::vector<std::vector<Index>> wanted;
    for (const data::Article& article : articles) {
      wanted.push_back(article.summary);
      count += static_cast<double>(article.summary.size()) + 1;
    }
    const Tensor nll = point->loss(read(articles, vocabulary), lengths_of(articles), wanted);
    return {.tensor = sum(nll) / count, .weight = count};
  }
  const data::CopyBatch batch = batch_of(articles, vocabulary);
  const Index V = options.vocabulary;
  Tensor targets = batch.targets;
  if (!options.copies()) targets = attention::known_ids(targets, V, data::kUnknown);
  const Tensor counts = targets >= 0;
  for (const Index id : targets.array().to_vector<Index>()) count += id >= 0 ? 1 : 0;
  if (abs) {
    const attention::Mask mask = attention::Mask::lengths(batch.lengths, batch.source.size(1));
    const Tensor logits = (*abs)(batch.source, batch.before, mask).logits;
    return {.tensor = cross_entropy(reshape(logits, {-1, V}), reshape(targets, {-1}),
                                    {.ignore_index = -1}),
            .weight = count};
  }
  auto state = read(batch);
  const auto out = decoder->run(dropout((*words)(batch.before)), state);
  const Tensor nll = -sum(out.log_likelihood(targets)) / count;
  const Tensor twice = sum(where(counts, out.coverage_loss, 0)) / count;
  return {.tensor = nll + coverage * twice, .shown = nll.item(), .weight = count};
}

std::vector<Answer> Editor::answer(const Articles& articles, const data::Vocabulary& vocabulary,
                                   const AnswerOptions& how) const {
  std::vector<Answer> out(articles.size());
  if (point) {
    const auto picks = point->pick(read(articles, vocabulary), lengths_of(articles), how.picks);
    for (std::size_t b = 0; b < out.size(); ++b) out[b].picks = picks[b];
    return out;
  }
  const data::CopyBatch batch = batch_of(articles, vocabulary);
  std::unique_ptr<nn::Decoding> writing;
  if (abs) {
    writing = std::make_unique<attention::SummariserWriting>(*abs, batch.source, batch.lengths);
  } else {
    writing = std::make_unique<attention::Copying>(
        *decoder, read(batch),
        attention::CopyingOptions{.embed = [this](const Tensor& ids) { return (*words)(ids); },
                                  .extended = options.copies() ? batch.largest : options.vocabulary,
                                  .unknown = data::kUnknown});
  }
  const auto found = nn::beam_search(*writing, static_cast<Index>(out.size()),
                                     {.begin = data::kBegin,
                                      .end = data::kEnd,
                                      .beam = how.beam,
                                      .longest = std::vector<Index>(out.size(), kLongest),
                                      .length_penalty = 1,
                                      .forbidden = {data::kPadding, data::kUnknown, data::kBegin}});
  for (std::size_t b = 0; b < out.size(); ++b)
    for (const Index id : found[b].front().words)
      out[b].title.push_back(batch.vocabularies[b].word(id));
  return out;
}

train::Alignment Editor::copied(const data::Article& article, const Answer& answer,
                                const data::Vocabulary& vocabulary) const {
  if (!options.copies() || answer.title.empty()) return {};
  const NoGrad scope;
  data::Article written = article;
  written.title = answer.title;
  const data::CopyBatch batch = batch_of({written}, vocabulary);
  auto state = read(batch);
  const auto all = decoder->run((*words)(batch.before), state);
  const auto T = static_cast<Index>(answer.title.size());
  const Array copies = narrow(select(all.copies(batch.targets), 0, 0), 0, 0, T).array();
  train::Alignment out{"copied from where; p_gen",
                       written.first_words(static_cast<std::size_t>(options.source)),
                       {},
                       copies};
  const auto p_gen = sigmoid(all.gate).array().to_vector<float>();
  for (std::size_t t = 0; t < answer.title.size(); ++t)
    out.rows.push_back(fmt::format("{} {:.2f}", answer.title[t], p_gen[t]));
  return out;
}

io::DirectoryFiles files_of(const Desk& desk) {
  return io::ModelFiles("summaries")
      .options(desk.editor->options)
      .options(desk.known)
      .set("seed", desk.seed ? fmt::format("{}", *desk.seed) : "")
      .text(io::kVocabularyFile, desk.vocabulary.serialize())
      .weights(*desk.editor);
}

Desk load(const std::string& folder) {
  const io::ModelFolder saved(folder, "summaries");
  auto o = saved.options<ModelOptions>();
  Desk out{saved.parse<data::Vocabulary>(), nullptr};
  o.vocabulary = out.vocabulary.size();
  const std::string table = o.attention == "abs" ? "abs.context_embedding.weight" : "words.weight";
  saved.expect({{table, {o.vocabulary, o.width}}});
  out.known = saved.known_options(out.known);
  if (saved.config().has("seed"))
    out.seed = number_in<std::uint64_t>(saved.config().get_string("seed"));
  out.editor = saved.make<Editor>(o);
  return out;
}

}  // namespace summaries
