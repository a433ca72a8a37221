#include "spoken_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "../core/error.h"

namespace heed::data {
namespace {

namespace fs = std::filesystem;

// "7_jackson_32.wav"
SpokenDigit named(const fs::path& path) {
  const std::string name = path.stem().string();
  const std::size_t first = name.find('_'), last = name.rfind('_');
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (first != 1 || last < 3 || !is_number(name.substr(0, 1)) ||
      !is_number(name.substr(last + 1))) {
    throw FormatError(path.string(), 0, "not named DIGIT_SPEAKER_INDEX.wav");
  }
  return {name[0] - '0', name.substr(2, last - 2), {}};
}

}  // namespace

std::vector<SpokenDigit> read_spoken_digits(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".wav") paths.push_back(at->path());
  }
  if (error) throw IoError(folder, "open", error.value());
  if (paths.empty()) throw FormatError(folder, 0, "no .wav file is in the folder");
  std::sort(paths.begin(), paths.end());
  std::vector<SpokenDigit> out;
  for (const fs::path& path : paths) {
    out.push_back(named(path));
    out.back().samples = read_wav(path.string(), {.rate = kSpokenRate, .longest = 10}).samples;
  }
  return out;
}

SpokenStrings::SpokenStrings(const std::vector<SpokenDigit>& recordings, const JoinOptions& options)
    : options_(options) {
  const auto ordered = [](double low, double high, double least) {
    return low >= least && low <= high && high <= 100;
  };
  if (!ordered(options.shortest_gap, options.longest_gap, 0) ||
      !ordered(options.least_over_noise, options.most_over_noise, -100)) {
    throw ValueError(
        fmt::format("spoken_strings: gaps of {} to {} s and noise {} to {} dB below must be ranges",
                    options.shortest_gap, options.longest_gap, options.least_over_noise,
                    options.most_over_noise));
  }
  std::map<std::string, Recordings> speakers;
  for (const SpokenDigit& each : recordings) {
    if (each.samples.empty()) throw ValueError("spoken_strings: a recording has no samples");
    speakers[each.speaker].push_back(&each);
  }
  if (speakers.empty()) throw ValueError("spoken_strings: no recordings");
  for (auto& [name, all] : speakers) speakers_.push_back(std::move(all));
}

SpokenString SpokenStrings::draw(Index count, Generator& generator) const {
  if (count < 1) throw ValueError(fmt::format("spoken_strings: {} digits", count));
  const Recordings& all =
      speakers_[static_cast<std::size_t>(generator.below(static_cast<Index>(speakers_.size())))];
  Recordings chosen;
  for (Index i = 0; i < count; ++i) {
    chosen.push_back(
        all[static_cast<std::size_t>(generator.below(static_cast<Index>(all.size())))]);
  }
  return join(chosen, generator);
}

SpokenString SpokenStrings::draw(const std::vector<Index>& digits, Generator& generator) const {
  for (const Index at : generator.permutation(static_cast<Index>(speakers_.size()))) {
    Recordings chosen;
    for (const Index digit : digits) {
      Recordings fitting = speakers_[static_cast<std::size_t>(at)];
      std::erase_if(fitting, [&](const SpokenDigit* each) { return each->digit != digit; });
      if (fitting.empty()) break;
      chosen.push_back(
          fitting[static_cast<std::size_t>(generator.below(static_cast<Index>(fitting.size())))]);
    }
    if (!chosen.empty() && chosen.size() == digits.size()) return join(chosen, generator);
  }
  throw ValueError("spoken_strings: nobody has said all of these digits");
}

SpokenString SpokenStrings::join(const Recordings& recordings, Generator& generator) const {
  const auto between = [&](double low, double high) {
    return low + (high - low) * generator.uniform();
  };
  SpokenString out{recordings.front()->speaker, {}, {}, {}};
  const auto pause = [&] {
    const double seconds = between(options_.shortest_gap, options_.longest_gap);
    out.samples.resize(out.samples.size() +
                       static_cast<std::size_t>(seconds * static_cast<double>(kSpokenRate)));
  };
  double squares = 0;
  Index spoken = 0;
  pause();
  for (const SpokenDigit* each : recordings) {
    const auto begin = static_cast<Index>(out.samples.size());
    out.digits.push_back(each->digit);
    out.samples.insert(out.samples.end(), each->samples.begin(), each->samples.end());
    out.places.push_back({begin, static_cast<Index>(out.samples.size())});
    for (const float x : each->samples) squares += static_cast<double>(x) * x;
    spoken += out.places.back().end - begin;
    pause();
  }
  const double below = between(options_.least_over_noise, options_.most_over_noise);
  const double loudness = std::sqrt(squares / static_cast<double>(spoken));
  const Array noise = generator.normal({static_cast<Index>(out.samples.size())}, 0,
                                       loudness * std::pow(10, -below / 20));
  const float* from = noise.data<float>();
  for (float& x : out.samples) x += *from++;
  return out;
}

}  // namespace heed::data
