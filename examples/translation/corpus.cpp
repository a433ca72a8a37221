#include "corpus.h"

#include <algorithm>
#include <utility>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/generated/first_drawn.h"
#include "../../data/generated/pairs.h"
#include "../../data/parallel_folder.h"
#include "../../data/parallel_text.h"

namespace translation {
namespace {

void append(Part& out, std::vector<data::GeneratedPair> pairs) {
  for (data::GeneratedPair& pair : pairs) {
    out.source.push_back(std::move(pair.source));
    out.target.push_back(std::move(pair.target));
    out.links.push_back(std::move(pair.alignment));
  }
}

Corpus generated(const CorpusOptions& options) {
  Generator generator(options.seed + 11);
  const auto draw = [&](Index count) { return data::generate_pairs(count, generator); };
  const auto tenth = [](Index count) { return std::max<Index>(count / 10, 1); };
  const Index usual = CorpusOptions().sentences;
  Corpus out;
  append(out.train, data::first_drawn(options.sentences, usual, draw));
  for (Part* part : {&out.validation, &out.test}) {
    append(*part, data::first_drawn(tenth(options.sentences), tenth(usual), draw));
  }
  append(out.train, draw(std::max<Index>(options.sentences - usual, 0)));
  return out;
}

Part part_of(data::ParallelText text, const std::string& name, train::BleuTokens score_by) {
  if (text.source.empty()) throw ValueError(name + ": no pair of sentences is left");
  return {std::move(text.source), std::move(text.target), {}, score_by};
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  if (options.path.empty()) return generated(options);
  Corpus out;
  const auto read = [&options](const std::vector<std::string>& beginnings,
                               const data::ParallelOptions& limits) {
    data::ParallelText all;
    for (const auto& [source, target] :
         data::find_all_parallel(options.path, options.from, options.to, beginnings)) {
      data::append(all, data::read_parallel(source, target, limits));
    }
    return all;
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
