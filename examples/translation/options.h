// Which model, and how large.
#pragma once

#include <string>

#include "../../core/dtype.h"
#include "../../io/fields.h"

namespace translation {

using namespace heed;  // an application speaks the library's language

struct ModelOptions {
  std::string model = "bahdanau";
  Index source_words = 0, target_words = 0;
  Index width = 128;
  Index hidden = 128;
  Index layers = 1;
  Index heads = 4;
  Index kernel = 3;
  double dropout = 0.3;
  bool tied = false;
  bool shared = false;
  std::string style = "sutskever";
  std::string score = "general";
  std::string attention = "global";
  Index half_width = 10;
  bool input_feeding = false;
  Index longest = 256;  ///< words a sentence, of models with learned positions
  DType dtype = DType::f32;

  void fields(io::Fields& f) {
    f.choice("kind", model, {"seq2seq", "bahdanau", "luong", "conv", "transformer"},
             "of encoder and decoder");
    f.size("width", width, 1, 1 << 14, "of words");
    f.size("hidden", hidden, 1, 1 << 16, "of states; of a Transformer's middle layers");
    f.size("layers", layers, 1, 1024, "of encoder and decoder each");
    f.size("heads", heads, 1, 1 << 14, "of a Transformer");
    f.size("kernel", kernel, 1, 1024, "of convolutions, in words");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.flag("tied", tied, "the output layer is the target's embedding");
    f.flag("shared", shared, "one vocabulary and embedding for both languages");
    f.choice("style", style, {"sutskever", "cho"}, "of seq2seq");
    f.choice("score", score, {"dot", "general", "concat", "location"}, "of luong");
    f.choice("attention", attention, {"global", "local-m", "local-p"}, "of luong");
    f.size("half_width", half_width, 0, 1 << 24, "D of local attention");
    f.flag("input_feeding", input_feeding, "of luong");
    f.size("places", longest, 1, 1 << 24, "words that models with learned positions have room for");
  }
};

}  // namespace translation
