// What a language model is made of.
#pragma once

#include <string>

#include "../../attention/mechanisms/self_attention_kinds.h"
#include "../../io/fields.h"
#include "../../nn/module.h"

namespace language_model {

using namespace heed;  // an application speaks the library's language

enum class Positions { learned, sinusoidal, rotary };

struct ModelOptions {
  Index vocabulary = 2;
  Index layers = 4;
  Index width = 128;
  Index heads = 4;
  Index context = 64;  ///< the longest text that it sees
  double dropout = 0;
  double recency = 0;  ///< of an LSTM network: see attention::LSTMNOptions
  Positions positions = Positions::learned;
  /// See attention::self_attention_kinds(); or lstm, lstmn, memory: see reader.h.
  std::string attention = "dot";
  DType dtype = DType::f32;
  void fields(io::Fields& f) {
    f.size("layers", layers, 1, 1024, "of the model; hops of a memory network");
    f.size("width", width, 1, 1 << 14, "of the model");
    f.size("heads", heads, 1, 1 << 14, "of each layer, a divisor of the width");
    f.size("context", context, 1, 1 << 24, "tokens that the model sees");
    f.choice("positions", positions,
             {{"learned", Positions::learned},
              {"sinusoidal", Positions::sinusoidal},
              {"rotary", Positions::rotary}},
             "of the tokens");
    std::string kinds;
    for (const auto& kind : attention::self_attention_kinds()) kinds += kind.name + ", ";
    f.text("attention", attention,
           kinds +
               "or several kinds of synthesizer with + between, dot-product among them; lstm, "
               "lstmn or memory in the place of the Transformer");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.number("recency", recency, 0, 100, "of lstmn: how much less a score is by each step back");
  }
};

}  // namespace language_model
