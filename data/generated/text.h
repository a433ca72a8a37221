// Generated text: sentences in which a verb agrees in number with a noun that may stand far before
// it, with nouns of the other number between them:
//
//   the old farmers that the horse near the singers follows remember the king often .
//
// A small grammar draws them, and no two ways of drawing give the same sentence. So the chance of
// each is known exactly, and with it the loss that no model can better: the text's own entropy.
#pragma once

#include <string>

#include "../../core/generator.h"

namespace heed::data {

struct GeneratedText {
  std::string text;  ///< a sentence a line
  double nats = 0;   ///< minus the logarithm of its chance
};

/// The next `sentences` sentences of the generator's stream.
GeneratedText generate_text(Index sentences, Generator& generator);

}  // namespace heed::data
