#include "utterances.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"

namespace heed::data {

constexpr std::size_t kFewestSamples = 800;

Utterance utterance_of(SpokenString said) {
  static const LogMel log_mel;
  if (said.samples.size() < kFewestSamples) {
    throw ValueError(
        fmt::format("{} samples are less than a tenth of a second", said.samples.size()));
  }
  Array features = log_mel(said.samples);
  return {std::move(said), std::move(features)};
}

std::vector<Utterance> draw_utterances(const std::vector<SpokenDigit>& recordings, Index count,
                                       Index shortest, Index longest, Generator& generator) {
  if (shortest < 1 || shortest > longest) {
    throw ValueError(fmt::format("{} to {} digits are no range", shortest, longest));
  }
  const SpokenStrings strings(recordings);
  std::vector<Utterance> out;
  for (Index i = 0; i < count; ++i) {
    const Index digits = shortest + generator.below(longest - shortest + 1);
    out.push_back(utterance_of(strings.draw(digits, generator)));
  }
  return out;
}

UtteranceBatch part_of(const UtteranceBatch& batch, Index begin, Index end) {
  const auto lengths = batch.sounds.lengths.begin();
  const auto digits = batch.digits.begin();
  UtteranceBatch out{{{}, {lengths + begin, lengths + end}}, {digits + begin, digits + end}};
  Index longest = 0;
  for (const Index length : out.sounds.lengths) longest = std::max(longest, length);
  out.sounds.features =
      batch.sounds.features.slice(0, begin, end).slice(1, 0, longest).contiguous();
  return out;
}

UtteranceBatch batch_of(const std::vector<Utterance>& some) {
  UtteranceBatch out;
  std::vector<Array> features;
  for (const Utterance& each : some) {
    features.push_back(each.features);
    out.digits.push_back(each.said.digits);
  }
  out.sounds = pad(features);
  return out;
}

}  // namespace heed::data
