#include "corpus.h"

#include <algorithm>
#include <utility>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/generated/pairs.h"
#include "../../data/parallel_folder.h"
#include "../../data/parallel_text.h"

namespace translation {
namespace {

Part generated(Index count, Generator& generator) {
  Part out;
  for (data::GeneratedPair& pair : data::generate_pairs(count, generator)) {
    out.source.push_back(std::move(pair.source));
    out.target.push_back(std::move(pair.target));
    out.links.push_back(std::move(pair.alignment));
  }
  return out;
}

Part part_of(data::ParallelText text, const std::string& name, train::BleuTokens score_by) {
  if (text.source.empty()) throw ValueError(name + ": no pair of sentences is left");
  return {std::move(text.source), std::move(text.target), {}, score_by};
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  Corpus out;
  if (options.path.empty()) {
    Generator generator(options.seed + 11);
    const Index tenth = std::max<Index>(options.sentences / 10, 1);
    out.train = generated(options.sentences, generator);
    out.validation = generated(tenth, generator);
    out.test = generated(tenth, generator);
    return out;
  }
  const auto read = [&options](const std::vector<std::string>& beginnings,
                               const data::ParallelOptions& limits) {
    const auto [source, target] =
        data::find_parallel(options.path, options.from, options.to, beginnings);
    return data::read_parallel(source, target, limits);
  };
  const data::ParallelOptions limits = {
      .skip_empty = true, .max_words = options.max_words, .max_ratio = options.max_ratio};
  data::ParallelText train = read({"train"}, limits);
  out.skipped = data::left_out(train);
  out.train = part_of(std::move(train), "train", options.score_by);
  out.validation = part_of(read({"val", "dev"}, {}), "val", options.score_by);
  out.test = part_of(read({options.test}, {}), options.test, options.score_by);
  return out;
}

}  // namespace translation
