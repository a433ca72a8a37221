#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/parallel_text.h"
#include "grammar.h"

namespace translation {

namespace fs = std::filesystem;

namespace {

Part generated(Index count, Generator& generator) {
  Part out;
  for (Pair& pair : generate_pairs(count, generator)) {
    out.source.push_back(std::move(pair.source));
    out.target.push_back(std::move(pair.target));
    out.links.push_back(std::move(pair.alignment));
  }
  return out;
}

// The name without the ending of the language, plain or gzip; empty for others.
std::string stem_of(const std::string& name, const std::string& language) {
  for (const std::string& ending : {"." + language, "." + language + ".gz"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return {};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error) throw IoError(folder, "read the folder", error.value());
  std::sort(names.begin(), names.end());
  return names;
}

// The first two files, in the order of names, that begin with one of these and differ in nothing
// but their languages.
std::pair<std::string, std::string> find_pair(const CorpusOptions& options,
                                              const std::vector<std::string>& beginnings) {
  const std::vector<std::string> names = names_in(options.path);
  std::string lacking = options.from;
  for (const std::string& beginning : beginnings) {
    for (const std::string& source : names) {
      const std::string stem = stem_of(source, options.from);
      if (stem.empty() || !stem.starts_with(beginning)) continue;
      lacking = options.to;
      for (const std::string& target : names) {
        if (stem_of(target, options.to) == stem) {
          return {options.path + "/" + source, options.path + "/" + target};
        }
      }
    }
  }
  throw ValueError(fmt::format("{}: no file {}*.{} or {}*.{}.gz", options.path, beginnings.front(),
                               lacking, beginnings.front(), lacking));
}

Part part_of(data::ParallelText text, const std::string& name) {
  if (text.source.empty()) throw ValueError(name + ": no pair of sentences is left");
  return {std::move(text.source), std::move(text.target), {}};
}

std::string skipped(const data::ParallelText& text) {
  std::string out;
  const auto count = [&out](Index pairs, const char* why) {
    if (pairs > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", pairs, why);
  };
  count(text.empty, "empty");
  count(text.too_long, "too long");
  count(text.unequal, "of unequal lengths");
  return out;
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
    const auto [source, target] = find_pair(options, beginnings);
    return data::read_parallel(source, target, limits);
  };
  const data::ParallelOptions limits = {
      .skip_empty = true, .max_words = options.max_words, .max_ratio = options.max_ratio};
  data::ParallelText train = read({"train"}, limits);
  out.skipped = skipped(train);
  out.train = part_of(std::move(train), "train");
  out.validation = part_of(read({"val", "dev"}, {}), "val");
  out.test = part_of(read({options.test}, {}), options.test);
  return out;
}

}  // namespace translation
