// Which model, and how large.
#pragma once

#include <string>

#include "../../core/dtype.h"
#include "../../core/shape.h"

namespace translation {

using heed::Index;

struct ModelOptions {
  std::string model = "bahdanau";  ///< seq2seq, bahdanau, luong, conv, transformer
  Index source_words = 0, target_words = 0;
  Index width = 128;     ///< of words
  Index hidden = 128;    ///< of states; in the Transformer of the feed-forward part
  Index layers = 1;      ///< of encoder and decoder each
  Index heads = 4;       ///< transformer
  Index kernel = 3;      ///< conv
  double dropout = 0.3;
  bool tied = false;     ///< the output layer is the target's embedding
  bool shared = false;   ///< both sides share one vocabulary and one embedding
  std::string style = "sutskever";   ///< of seq2seq: sutskever, cho
  std::string score = "general";     ///< of luong: dot, general, concat, location
  std::string attention = "global";  ///< of luong: global, local-m, local-p
  Index half_width = 10;             ///< of local attention
  bool input_feeding = false;        ///< luong
  Index longest = 256;               ///< words a sentence, of models with learned positions
  heed::DType dtype = heed::DType::f32;
};

}  // namespace translation
