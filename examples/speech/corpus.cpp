#include "corpus.h"

#include <algorithm>
#include <map>

#include "../../data/generated/dialled.h"

namespace speech {

// Streams of the seed: the same recordings whatever else is drawn.
static constexpr std::uint64_t kTrainStream = 0x7a11, kTestStream = 0x7e57;

Corpus load_corpus(const CorpusOptions& options) {
  Corpus out;
  std::vector<data::SpokenDigit> all;
  if (options.data.empty()) {
    const auto draw = [&](Index count, std::uint64_t stream) {
      Generator generator(options.seed * 0x10001 + stream);
      return data::generate_dialled(count, generator);
    };
    all = draw(options.recordings, kTrainStream);
    out.test = draw(std::max<Index>(20, options.recordings / 4), kTestStream);
  } else {
    all = data::read_spoken_digits(options.data + "/train");
    out.test = data::read_spoken_digits(options.data + "/test");
  }
  std::map<std::pair<std::string, Index>, int> seen;
  for (data::SpokenDigit& each : all) {
    const bool held_out = seen[{each.speaker, each.digit}]++ % 10 == 9;
    (held_out ? out.validation : out.train).push_back(std::move(each));
  }
  if (out.validation.empty()) out.validation = out.train;
  return out;
}

}  // namespace speech
