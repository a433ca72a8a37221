#include "corpus.h"

#include <algorithm>
#include <iterator>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/cloze_file.h"
#include "../../data/folder_parts.h"
#include "../../data/generated/belongings.h"
#include "../../data/generated/first_drawn.h"
#include "../../data/made_cloze.h"

namespace cloze {
namespace {

data::ClozeFile read(const std::string& folder, const std::string& name, data::ClozeOptions options,
                     bool leave_out) {
  const bool cmrc = name.starts_with("cmrc");
  options.questions = name == "cmrc2017.user.valid";
  return data::read_cloze(data::plain_or_packed(folder, cmrc ? name + ".doc_query" : name),
                          cmrc ? data::plain_or_packed(folder, name + ".answer") : "", options,
                          leave_out);
}

Corpus generated(const CorpusOptions& options, const data::ClozeOptions& limits) {
  Generator generator(options.seed + 0xc102e);
  const auto draw = [&](Index count) { return data::tell_belongings(count, generator); };
  const Index usual = CorpusOptions().stories;
  Corpus out;
  out.train = data::first_drawn(options.stories, usual, draw);
  for (std::vector<Cloze>* part : {&out.validation, &out.test})
    *part = data::first_drawn(options.stories / 10, usual / 10, draw);
  const auto more = draw(std::max<Index>(options.stories - usual, 0));
  out.train.insert(out.train.end(), more.begin(), more.end());
  for (const Cloze& row : out.train) data::check_cloze(row, "generated", limits);
  return out;
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options, const data::ClozeOptions& limits) {
  if (options.path.empty()) return generated(options, limits);
  Corpus out;
  std::vector<Cloze> all;
  for (const char* name : {"cft.test.human", "cft.test.auto", "cmrc2017.user.valid"}) {
    data::ClozeFile part = read(options.path, name, limits, true);
    out.left_out += part.left_out;
    std::move(part.rows.begin(), part.rows.end(), std::back_inserter(all));
  }
  out.test = read(options.path, "cmrc2017.cloze.valid", limits, false).rows;
  const auto passages = data::by_passage(std::move(all));
  Generator fixed(0x4e1d), drawn(options.seed + 0x3ade);
  const auto parts = data::split(static_cast<Index>(passages.size()), 0.1, fixed);
  if (parts.held_out.empty()) {
    throw FormatError(options.path, 0, "one passage is too few to train on and to validate");
  }
  auto learned = passages;
  for (const Index i : parts.held_out) learned[static_cast<std::size_t>(i)].clear();
  const auto words = data::askable_words(learned);
  for (std::size_t i = 0; i < passages.size(); ++i) {
    auto& part = learned[i].empty() ? out.validation : out.train;
    part.insert(part.end(), passages[i].begin(), passages[i].end());
    const auto made = data::make_cloze(passages[i][0], words, {.queries = options.made}, drawn);
    part.insert(part.end(), made.begin(), made.end());
    out.made += static_cast<Index>(made.size());
  }
  return out;
}

}  // namespace cloze
