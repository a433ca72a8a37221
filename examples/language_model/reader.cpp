#include "reader.h"

#include "../../attention/mechanisms/memory/lstmn.h"
#include "../../attention/mechanisms/memory/memory_stream.h"
#include "../../nn/embedding.h"
#include "../../nn/init.h"
#include "../../nn/lstm.h"

namespace language_model {
namespace {

class LSTMReader : public Reader {
 public:
  explicit LSTMReader(const ModelOptions& o)
      : lstm(child<nn::LSTM>("lstm", nn::LSTMOptions{.input = o.width,
                                                     .hidden = o.width,
                                                     .layers = o.layers,
                                                     .dropout = o.dropout,
                                                     .dtype = o.dtype})) {}
  nn::LSTM& lstm;

  Tensor operator()(const Tensor& x, const Tensor&, Past* past,
                    std::vector<Tensor>*) const override {
    if (past == nullptr) return lstm(x).output;
    const LstmResult read =
        lstm(x, {}, past->empty() ? LstmState() : LstmState{past->at(0), past->at(1)});
    *past = {read.h_n, read.c_n};
    return read.output;
  }
};

class LSTMNReader : public Reader {
 public:
  explicit LSTMNReader(const ModelOptions& o)
      : span(o.context),
        lstmn(child<attention::LSTMN>("lstmn", attention::LSTMNOptions{.input = o.width,
                                                                       .hidden = o.width,
                                                                       .layers = o.layers,
                                                                       .span = o.context,
                                                                       .recency = o.recency,
                                                                       .dtype = o.dtype})) {}
  Index span;
  attention::LSTMN& lstmn;

  Tensor operator()(const Tensor& x, const Tensor&, Past* past,
                    std::vector<Tensor>* looks) const override {
    if (past != nullptr) return go_on(x, *past);
    attention::LSTMNOutput read = lstmn(x, {}, looks != nullptr);
    if (looks) *looks = std::move(read.weights);
    return read.output;
  }

 private:
  // Of each layer the tapes, no longer than the span, and the last summary.
  Tensor go_on(const Tensor& x, Past& past) const {
    std::vector<attention::LSTMNState> layers;
    for (std::size_t i = 0; i < past.size(); i += 3) {
      layers.push_back({attention::Tape(past[i]), attention::Tape(past[i + 1]), past[i + 2]});
    }
    const Tensor output = lstmn(x, layers).output;
    past.clear();
    for (const attention::LSTMNState& each : layers) {
      past.insert(past.end(), {each.keys.rows(span), each.values.rows(span), each.summary});
    }
    return output;
  }
};

class MemoryReader : public Reader {
 public:
  explicit MemoryReader(const ModelOptions& o)
      : values(child<nn::Embedding>(
            "values",
            nn::EmbeddingOptions{.count = o.vocabulary, .width = o.width, .dtype = o.dtype})),
        memories(child<attention::MemoryStream>(
            "memories",
            attention::MemoryStreamOptions{
                .width = o.width, .hops = o.layers, .span = o.context, .dtype = o.dtype})) {
    nn::normal_(values.weight, 0, 0.05);
  }
  nn::Embedding& values;
  attention::MemoryStream& memories;

  Tensor operator()(const Tensor& x, const Tensor& ids, Past* past,
                    std::vector<Tensor>* looks) const override {
    if (past != nullptr) {
      attention::MemoryStreamState state;
      if (!past->empty()) state = {past->at(0), past->at(1)};
      const Tensor output = memories(x, values(ids), state).output;
      *past = {state.keys, state.values};
      return output;
    }
    attention::StackOutput read = memories(x, values(ids), looks != nullptr);
    if (looks) *looks = std::move(read.weights);
    return read.output;
  }
};

}  // namespace

std::shared_ptr<Reader> make_reader(const ModelOptions& options) {
  if (options.attention == "lstm") return std::make_shared<LSTMReader>(options);
  if (options.attention == "lstmn") return std::make_shared<LSTMNReader>(options);
  if (options.attention == "memory") return std::make_shared<MemoryReader>(options);
  return nullptr;
}

}  // namespace language_model
