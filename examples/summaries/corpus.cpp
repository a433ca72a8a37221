#include "corpus.h"

#include "../../core/error.h"
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

Corpus read(const std::string& path, std::uint64_t seed) {
  const Articles all = data::read_articles(path);
  if (all.size() < 10) throw FormatError(path, 0, "fewer than 10 articles");
  Generator generator = generator_of(seed, kTestStream);
  return data::drawn_parts(all, generator);
}

}  // namespace

Corpus load_corpus(const CorpusOptions& o) {
  if (!o.data.empty()) return read(o.data, o.seed);
  return {generated(o.reports, o.seed, kTrainStream),
          generated(kHeldOut, o.seed, kValidationStream), generated(kHeldOut, o.seed, kTestStream)};
}

}  // namespace summaries
