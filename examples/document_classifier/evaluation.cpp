#include "evaluation.h"

#include <algorithm>
#include <limits>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../core/error.h"

namespace document_classifier {
namespace {

// The document with the weights of its sentences, from `sentence` on in the batch.
train::AttendedText attended(const data::Document& document, const Reading& reading,
                             std::size_t row, std::size_t sentence) {
  train::AttendedText text;
  const bool weighed = !reading.sentences.empty();
  std::size_t s = 0;
  for (const auto& words : document.sentences) {
    if (words.empty()) continue;  // batches leave it out
    train::AttendedSentence out;
    out.weight = weighed ? reading.sentences[row][s] : 0;
    for (std::size_t w = 0; w < words.size(); ++w) {
      // A subword that begins a word begins with U+2581: the first of a sentence does anyway.
      const bool marked = w == 0 && words[w].starts_with("\u2581");
      out.words.push_back(
          {marked ? words[w].substr(3) : words[w], weighed ? reading.words[sentence + s][w] : 0});
    }
    text.push_back(std::move(out));
    ++s;
  }
  return text;
}

double evidence_share(const train::AttendedText& text, const std::vector<bool>& evidence) {
  double share = 0;
  for (std::size_t s = 0; s < text.size(); ++s) share += evidence[s] ? text[s].weight : 0;
  return share;
}

}  // namespace

Evaluation evaluate(Classifier& classifier, const std::vector<Example>& examples, Index batch_size,
                    Index show) {
  const NoGrad scope;
  classifier.model->eval();
  std::vector<data::EncodedDocument> encoded;
  encoded.reserve(examples.size());
  for (const Example& example : examples) {
    encoded.push_back(data::encode(example.document, classifier.vocabulary));
  }
  Evaluation out{train::Confusion(static_cast<Index>(classifier.classes.size())),
                 0,
                 std::numeric_limits<double>::quiet_NaN(),
                 {}};
  out.shown.resize(static_cast<std::size_t>(std::min(show, static_cast<Index>(examples.size()))));
  train::RunningMean loss, share;
  for (const auto& batch : data::batches_by_length(data::lengths_of(encoded), batch_size)) {
    const auto block = data::make_document_batch(encoded, batch);
    const Reading reading = (*classifier.model)(block, true);
    loss.add(cross_entropy(reading.logits, block.labels).item(), static_cast<double>(batch.size()));
    const std::vector<double> p =
        softmax(reading.logits, 1).array().to(DType::f64).to_vector<double>();
    std::size_t sentence = 0;
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const auto place = static_cast<std::size_t>(batch[row]);
      const Example& example = examples[place];
      const auto first = p.begin() + static_cast<Index>(row * classifier.classes.size());
      Prediction prediction;
      prediction.probabilities.assign(first, first + static_cast<Index>(classifier.classes.size()));
      prediction.label =
          std::max_element(prediction.probabilities.begin(), prediction.probabilities.end()) -
          prediction.probabilities.begin();
      out.confusion.add(example.document.label, prediction.label);
      const bool known = !example.evidence.empty() && !reading.sentences.empty();
      if (known || place < out.shown.size()) {
        prediction.text = attended(example.document, reading, row, sentence);
      }
      if (known) share.add(evidence_share(prediction.text, example.evidence));
      sentence += static_cast<std::size_t>(block.sentence_counts[row]);
      if (place >= out.shown.size()) continue;
      for (std::size_t s = 0; s < prediction.text.size() && s < example.evidence.size(); ++s) {
        prediction.text[s].evidence = example.evidence[s];
      }
      out.shown[place] = std::move(prediction);
    }
  }
  out.loss = loss.mean();
  if (share.weight() > 0) out.evidence = share.mean();
  return out;
}

Prediction predict(Classifier& classifier, const data::Document& document) {
  const NoGrad scope;
  classifier.model->eval();
  const auto batch =
      data::make_document_batch({data::encode(document, classifier.vocabulary)}, {0});
  const Reading reading = (*classifier.model)(batch, true);
  Prediction out;
  out.probabilities = softmax(reading.logits, 1).array().to(DType::f64).to_vector<double>();
  out.label = std::max_element(out.probabilities.begin(), out.probabilities.end()) -
              out.probabilities.begin();
  out.text = attended(document, reading, 0, 0);
  return out;
}

}  // namespace document_classifier
