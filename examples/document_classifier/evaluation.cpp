#include "evaluation.h"

#include <algorithm>
#include <limits>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/shape/shape.h"

namespace document_classifier {
namespace {

// What is read of the document in this row of the batch, whose sentences begin at `sentence`.
Prediction prediction(const data::Document& document, const Reading& reading, std::size_t row,
                      std::size_t sentence) {
  Prediction made;
  made.probabilities = softmax(select(reading.logits, 0, static_cast<Index>(row)), -1)
                           .array()
                           .to(DType::f64)
                           .to_vector<double>();
  made.label = std::max_element(made.probabilities.begin(), made.probabilities.end()) -
               made.probabilities.begin();
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
    made.text.push_back(std::move(out));
    ++s;
  }
  return made;
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
  Evaluation out{train::Classified(static_cast<Index>(classifier.classes.size())),
                 std::numeric_limits<double>::quiet_NaN(),
                 {}};
  out.shown.resize(static_cast<std::size_t>(std::min(show, static_cast<Index>(examples.size()))));
  train::RunningMean share;
  for (const auto& batch : data::batches_by_length(data::lengths_of(encoded), batch_size)) {
    const auto block = data::make_document_batch(encoded, batch);
    const Reading reading = (*classifier.model)(block, true);
    out.classified.add(reading.logits, block.labels);
    std::size_t sentence = 0;
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const auto place = static_cast<std::size_t>(batch[row]);
      const auto first = sentence;
      sentence += static_cast<std::size_t>(block.sentence_counts[row]);
      const std::vector<bool>& evidence = examples[place].evidence;
      const bool known = !evidence.empty() && !reading.sentences.empty();
      if (!known && place >= out.shown.size()) continue;
      Prediction found = prediction(examples[place].document, reading, row, first);
      if (known) share.add(evidence_share(found.text, evidence));
      if (place >= out.shown.size()) continue;
      for (std::size_t s = 0; s < found.text.size() && s < evidence.size(); ++s) {
        found.text[s].evidence = evidence[s];
      }
      out.shown[place] = std::move(found);
    }
  }
  if (share.weight() > 0) out.evidence = share.mean();
  return out;
}

Prediction predict(Classifier& classifier, const data::Document& document) {
  const NoGrad scope;
  classifier.model->eval();
  const auto batch =
      data::make_document_batch({data::encode(document, classifier.vocabulary)}, {0});
  return prediction(document, (*classifier.model)(batch, true), 0, 0);
}

Prediction predict(Classifier& classifier, const std::string& text) {
  Prediction out = predict(classifier, classifier.reader(text));
  if (classifier.reader.coder) return out;
  const auto tokens = data::document_tokens(text, classifier.reader.limits);
  for (std::size_t s = 0; s < out.text.size(); ++s) {
    for (std::size_t w = 0; w < out.text[s].words.size(); ++w) {
      const auto& token = tokens[s][w];
      out.text[s].words[w].text = text.substr(token.begin, token.end - token.begin);
    }
  }
  return out;
}

}  // namespace document_classifier
