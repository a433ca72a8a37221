#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/parallel_text.h"
#include "grammar.h"

namespace translation {

namespace data = heed::data;
namespace fs = std::filesystem;

namespace {

Part generated(Index count, heed::Generator& generator) {
  Part out;
  for (Pair& pair : generate_pairs(count, generator)) {
    out.source.push_back(std::move(pair.source));
    out.target.push_back(std::move(pair.target));
    out.links.push_back(std::move(pair.alignment));
  }
  return out;
}

bool is_of(const std::string& name, const std::string& language) {
  return name.ends_with("." + language) || name.ends_with("." + language + ".gz");
}

// The first file, in the order of names, that begins with one of these and is of the language.
std::string find(const std::string& folder, const std::vector<std::string>& beginnings,
                 const std::string& language) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error) throw heed::IoError(folder, "read the folder", error.value());
  std::sort(names.begin(), names.end());
  for (const std::string& beginning : beginnings) {
    for (const std::string& name : names) {
      if (name.starts_with(beginning) && is_of(name, language)) return folder + "/" + name;
    }
  }
  throw heed::ValueError(fmt::format("{}: no file {}*.{} or {}*.{}.gz", folder, beginnings.front(),
                                     language, beginnings.front(), language));
}

Part part_of(data::ParallelText text, const std::string& name) {
  if (text.source.empty()) throw heed::ValueError(name + ": no pair of sentences is left");
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
    heed::Generator generator(options.seed + 11);
    const Index tenth = std::max<Index>(options.sentences / 10, 1);
    out.train = generated(options.sentences, generator);
    out.validation = generated(tenth, generator);
    out.test = generated(tenth, generator);
    return out;
  }
  const auto read = [&options](const std::vector<std::string>& beginnings,
                               const data::ParallelOptions& limits) {
    return data::read_parallel(find(options.path, beginnings, options.from),
                               find(options.path, beginnings, options.to), limits);
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
