#include "corpus.h"

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/copy_batch.h"
#include "../../data/generated/news.h"

namespace summaries {
namespace {

constexpr Index kHeldOut = 500;  // generated reports to validate, and to test
// Streams of the seed: the same reports whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kValidationStream = 0x5e1f, kTestStream = 0x7e57;

Generator generator_of(std::uint64_t seed, std::uint64_t stream) {
  return Generator(seed * 0x10001 + stream);
}

Articles generated(Index count, std::uint64_t seed, std::uint64_t stream) {
  Generator generator = generator_of(seed, stream);
  const auto reports = data::report_news(count, generator);
  return {reports.begin(), reports.end()};
}

Articles chosen(const Articles& all, const std::vector<Index>& rows) {
  Articles out;
  for (const Index row : rows) out.push_back(all[static_cast<std::size_t>(row)]);
  return out;
}

Corpus read(const std::string& path, std::uint64_t seed) {
  const Articles all = data::read_articles(path);
  if (all.size() < 10) throw FormatError(path, 0, "fewer than 10 articles");
  Generator generator = generator_of(seed, kTestStream);
  const data::Split test = data::split(static_cast<Index>(all.size()), 0.1, generator);
  const Articles rest = chosen(all, test.rest);
  const data::Split split = data::split(static_cast<Index>(rest.size()), 1. / 9, generator);
  return {chosen(rest, split.rest), chosen(rest, split.held_out), chosen(all, test.held_out)};
}

}  // namespace

Corpus load_corpus(const CorpusOptions& o) {
  if (!o.data.empty()) return read(o.data, o.seed);
  return {generated(o.reports, o.seed, kTrainStream),
          generated(kHeldOut, o.seed, kValidationStream), generated(kHeldOut, o.seed, kTestStream)};
}

data::Vocabulary vocabulary_of(const Articles& articles, Index min_count) {
  data::WordCounts counts;
  for (const data::Article& article : articles) data::count_words(article, counts);
  return data::vocabulary_with_marks(counts, {.min_count = min_count});
}

}  // namespace summaries
