#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/contractions.h"
#include "../../data/folder_parts.h"
#include "../../data/generated/first_drawn.h"
#include "../../data/generated/opinions.h"
#include "../../data/tokenizer.h"

namespace aspects {

namespace {

std::vector<TaggedSentence> read(const CorpusOptions& options, const char* part) {
  const std::string name = fmt::format("{}_{}.iob.tsv", options.domain, part);
  return data::read_iob(data::plain_or_packed(options.path, name), 2);
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  Corpus out;
  std::vector<TaggedSentence> all;
  if (options.path.empty()) {
    Generator generator(options.seed + 0xa5bec7);
    const auto draw = [&](Index count) { return data::tell_opinions(count, generator); };
    const Index usual = CorpusOptions().sentences;
    all = data::first_drawn(options.sentences, usual, draw);
    out.test = data::first_drawn(options.sentences / 3, usual / 3, draw);
    const auto more = draw(std::max<Index>(options.sentences - usual, 0));
    all.insert(all.end(), more.begin(), more.end());
  } else {
    all = read(options, "train");
    out.test = read(options, "test");
  }
  Generator fixed(0x4e1d);
  const data::Split parts = data::split(static_cast<Index>(all.size()), 0.1, fixed);
  for (const Index i : parts.rest) out.train.push_back(all[static_cast<std::size_t>(i)]);
  for (const Index i : parts.held_out) out.validation.push_back(all[static_cast<std::size_t>(i)]);
  if (out.validation.empty()) {
    throw FormatError(options.path, 0, "one sentence is too few to train on and to validate");
  }
  return out;
}

Words words_of(const std::string& text) { return data::split_contractions(data::tokenize(text)); }

std::vector<Example> encode(const std::vector<TaggedSentence>& sentences,
                            const data::Vocabulary& vocabulary) {
  std::vector<Example> out;
  for (const TaggedSentence& sentence : sentences) {
    out.push_back({vocabulary.ids(sentence.words),
                   {data::iob_labels(sentence.tags[0]), data::iob_labels(sentence.tags[1])}});
  }
  return out;
}

Batch batch_of(const std::vector<Example>& some) {
  std::array<std::vector<std::vector<Index>>, 3> rows;
  for (const Example& example : some) {
    rows[0].push_back(example.words);
    for (std::size_t side = 0; side < 2; ++side) rows[side + 1].push_back(example.labels[side]);
  }
  const data::Padded words = data::pad(rows[0]);
  return {Tensor(words.ids),
          words.lengths,
          {Tensor(data::pad(rows[1], kNoWord).ids), Tensor(data::pad(rows[2], kNoWord).ids)}};
}

}  // namespace aspects
