#include "reader.h"

#include "../../attention/mechanisms/memory/lstmn.h"
#include "../../attention/mechanisms/memory/memory_stream.h"
#include "../../nn/embedding.h"
#include "../../nn/init.h"
#include "../../nn/lstm.h"

namespace language_model {
namespace {

// The past as the kind of reader keeps it; begun where there is none yet.
template <class Kind>
Kind& own(std::unique_ptr<Reader::Past>& past) {
  if (!past) past = std::make_unique<Kind>();
  return static_cast<Kind&>(*past);
}

class LSTMReader : public Reader {
 public:
  explicit LSTMReader(const ModelOptions& o)
      : lstm(child<nn::LSTM>("lstm", nn::LSTMOptions{.input = o.width,
                                                     .hidden = o.width,
                                                     .layers = o.layers,
                                                     .dropout = o.dropout,
                                                     .dtype = o.dtype})) {}
  nn::LSTM& lstm;

  Tensor operator()(const Tensor& x, const Tensor&, std::unique_ptr<Past>* past,
                    std::vector<Tensor>*) const override {
    if (past == nullptr) return lstm(x).output;
    LstmState& state = own<State>(*past).state;
    const LstmResult read = lstm(x, {}, state);
    state = {read.h_n, read.c_n};
    return read.output;
  }

 private:
  struct State : Past {
    LstmState state;
  };
};

class LSTMNReader : public Reader {
 public:
  explicit LSTMNReader(const ModelOptions& o)
      : lstmn(child<attention::LSTMN>("lstmn", attention::LSTMNOptions{.input = o.width,
                                                                       .hidden = o.width,
                                                                       .layers = o.layers,
                                                                       .span = o.context,
                                                                       .dtype = o.dtype})) {}
  attention::LSTMN& lstmn;

  Tensor operator()(const Tensor& x, const Tensor&, std::unique_ptr<Past>* past,
                    std::vector<Tensor>* looks) const override {
    if (past != nullptr) return lstmn(x, own<State>(*past).layers).output;
    attention::LSTMNOutput read = lstmn(x, {}, looks != nullptr);
    if (looks) *looks = std::move(read.weights);
    return read.output;
  }

 private:
  struct State : Past {
    std::vector<attention::LSTMNState> layers;
  };
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

  Tensor operator()(const Tensor& x, const Tensor& ids, std::unique_ptr<Past>* past,
                    std::vector<Tensor>* looks) const override {
    if (past != nullptr) return memories(x, values(ids), own<State>(*past).state).output;
    attention::StackOutput read = memories(x, values(ids), looks != nullptr);
    if (looks) *looks = std::move(read.weights);
    return read.output;
  }

 private:
  struct State : Past {
    attention::MemoryStreamState state;
  };
};

}  // namespace

std::shared_ptr<Reader> make_reader(const ModelOptions& options) {
  if (options.attention == "lstm") return std::make_shared<LSTMReader>(options);
  if (options.attention == "lstmn") return std::make_shared<LSTMNReader>(options);
  if (options.attention == "memory") return std::make_shared<MemoryReader>(options);
  return nullptr;
}

}  // namespace language_model
