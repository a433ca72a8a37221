#include "corpus.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../data/generated/text.h"

namespace language_model {

Corpus load_corpus(const CorpusOptions& options, data::TextLevel level) {
  if (!options.path.empty()) return {data::read_text_parts(options.path, level)};
  if (options.sentences < 10) {
    throw ValueError(fmt::format("sentences: {} must be 10 or more", options.sentences));
  }
  // Streams of the seed: the same text whatever else is drawn.
  Generator train(options.seed * 0x10001 + 0x7a11), validation(options.seed * 0x10001 + 0x7e57);
  const data::GeneratedText held = data::generate_text(options.sentences / 10, validation);
  return {{data::generate_text(options.sentences, train).text, held.text, ""}, held.nats};
}

}  // namespace language_model
