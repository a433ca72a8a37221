#include "wav.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "../core/error.h"

#ifdef HEED_SOUND
#include <sndfile.h>
#endif

namespace heed::data {
namespace {

constexpr Index kLowestRate = 1000, kHighestRate = 192000;
constexpr std::uint64_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;
// What follows the kind where a format is extensible.
constexpr std::string_view kExtensibleEnd{"\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14};

// Little-endian, as all of RIFF.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t out = 0;
  for (std::size_t i = count; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

// What the chunks around the samples say.
struct Header {
  Index rate = 0;
  std::uint64_t kind = 0;
  std::size_t frame = 0;            // bytes a sample
  std::size_t begin = 0, size = 0;  // of the samples, in bytes
};

class HeaderReader {
 public:
  HeaderReader(const std::string& path, std::string_view bytes, const WavOptions& options)
      : path_(path), bytes_(bytes), options_(options) {}

  Header read() {
    if (bytes_.size() < 12 || bytes_.substr(0, 4) != "RIFF" || bytes_.substr(8, 4) != "WAVE") {
      fail(0, "does not begin as a WAV file, with RIFF and WAVE");
    }
    std::size_t at = 12;
    while (bytes_.size() - at >= 8) {
      const std::string_view name = bytes_.substr(at, 4);
      const std::size_t size = number(bytes_, at + 4, 4), left = bytes_.size() - at - 8;
      if (name == "data") return samples(at, size, left);
      if (size > left) fail(at, "the file ends within a chunk before its samples");
      if (name == "fmt ") format(at + 8, size);
      at += 8 + std::min(left, size + size % 2);
    }
    fail(at, "the file ends before its samples");
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw FormatError(path_, at, "wav: " + what);
  }

  void format(std::size_t at, std::size_t size) {
    if (header_.frame != 0) fail(at, "a second chunk about the format");
    if (size < 16) fail(at, "its chunk about the format is too short");
    std::uint64_t kind = number(bytes_, at, 2);
    if (kind == kExtensible && size >= 40 && bytes_.substr(at + 26, 14) == kExtensibleEnd) {
      kind = number(bytes_, at + 24, 2);
    }
    const std::uint64_t channels = number(bytes_, at + 2, 2), bits = number(bytes_, at + 14, 2);
    const bool known = kind == kPcm     ? bits == 8 || bits == 16 || bits == 24 || bits == 32
                       : kind == kFloat ? bits == 32 || bits == 64
                                        : false;
    if (!known) {
      fail(at, fmt::format("samples of kind {} with {} bits are not read: PCM and floats are", kind,
                           bits));
    }
    if (channels != 1) fail(at + 2, fmt::format("{} channels, not one", channels));
    header_.rate = static_cast<Index>(number(bytes_, at + 4, 4));
    if (options_.rate != 0 && header_.rate != options_.rate) {
      fail(at + 4, fmt::format("{} samples a second, not {}", header_.rate, options_.rate));
    }
    if (header_.rate < kLowestRate || header_.rate > kHighestRate) {
      fail(at + 4, fmt::format("{} samples a second, not {} to {}", header_.rate, kLowestRate,
                               kHighestRate));
    }
    header_.kind = kind;
    header_.frame = bits / 8;
    if (number(bytes_, at + 12, 2) != header_.frame) {
      fail(at + 12, fmt::format("{} bytes a sample of {} bits", number(bytes_, at + 12, 2), bits));
    }
  }

  Header samples(std::size_t at, std::size_t size, std::size_t left) {
    if (header_.frame == 0) fail(at, "samples come before what says their format");
    if (size > left) {
      fail(bytes_.size(), fmt::format("the file ends after {} of {} bytes of samples", left, size));
    }
    if (size % header_.frame != 0) fail(at, "the samples end within one");
    if (size == 0) fail(at, "no samples");
    const auto frames = size / header_.frame;
    const double seconds = static_cast<double>(frames) / static_cast<double>(header_.rate);
    if (seconds < options_.shortest) {
      fail(at, fmt::format("{:.3f} s; at least {:g} are wanted", seconds, options_.shortest));
    }
    if (seconds > options_.longest) {
      fail(at, fmt::format("{:.1f} s; at most {:g} are read", seconds, options_.longest));
    }
    header_.begin = at + 8;
    header_.size = size;
    return header_;
  }

  const std::string& path_;
  std::string_view bytes_;
  WavOptions options_;
  Header header_;
};

void put(std::string& to, std::uint64_t value, int count) {
  for (; count > 0; --count, value >>= 8) to += static_cast<char>(value & 255);
}

// The 44 bytes before the samples of the plainest file.
std::string plain_header(const Header& header) {
  const auto rate = static_cast<std::uint64_t>(header.rate);
  std::string out = "RIFF";
  put(out, 36 + header.size, 4);
  out += "WAVEfmt ";
  put(out, 16, 4);
  put(out, header.kind, 2);
  put(out, 1, 2);
  put(out, rate, 4);
  put(out, header.frame * rate, 4);
  put(out, header.frame, 2);
  put(out, 8 * header.frame, 2);
  out += "data";
  put(out, header.size, 4);
  return out;
}

#ifdef HEED_SOUND
std::string content_of(const std::string& path, std::size_t most) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw IoError(path, "open", errno);
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string out;
  while (out.size() <= most) {
    const std::size_t have = out.size();
    out.resize(have + kPiece);
    errno = 0;
    out.resize(have + std::fread(out.data() + have, 1, kPiece, file.get()));
    if (std::ferror(file.get()) != 0) throw IoError(path, "read", errno != 0 ? errno : EIO);
    if (out.size() == have) return out;
  }
  throw FormatError(path, most, fmt::format("wav: the file has more than {} bytes", most));
}

// A file's bytes as libsndfile reads them.
struct Bytes {
  std::string_view all;
  std::size_t at = 0;
};

int samples_of(const Header& header) {
  switch (header.frame) {
    case 1: return SF_FORMAT_PCM_U8;
    case 2: return SF_FORMAT_PCM_16;
    case 3: return SF_FORMAT_PCM_24;
    case 4: return header.kind == kFloat ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_32;
    default: return SF_FORMAT_DOUBLE;
  }
}

SF_VIRTUAL_IO reading() {
  SF_VIRTUAL_IO out{};
  out.get_filelen = [](void* user) {
    return static_cast<sf_count_t>(static_cast<Bytes*>(user)->all.size());
  };
  out.seek = [](sf_count_t offset, int whence, void* user) {
    Bytes& bytes = *static_cast<Bytes*>(user);
    const auto size = static_cast<sf_count_t>(bytes.all.size());
    const sf_count_t from = whence == SEEK_SET   ? 0
                            : whence == SEEK_CUR ? static_cast<sf_count_t>(bytes.at)
                                                 : size;
    if (offset < -from || offset > size - from) return sf_count_t{-1};
    bytes.at = static_cast<std::size_t>(from + offset);
    return from + offset;
  };
  out.read = [](void* to, sf_count_t count, void* user) {
    Bytes& bytes = *static_cast<Bytes*>(user);
    const auto got = std::min(static_cast<std::size_t>(std::max<sf_count_t>(count, 0)),
                              bytes.all.size() - bytes.at);
    std::memcpy(to, bytes.all.data() + bytes.at, got);
    bytes.at += got;
    return static_cast<sf_count_t>(got);
  };
  out.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
  out.tell = [](void* user) { return static_cast<sf_count_t>(static_cast<Bytes*>(user)->at); };
  return out;
}

#endif

}  // namespace

#ifdef HEED_SOUND

bool has_sound() { return true; }

Sound read_wav(const std::string& path, const WavOptions& options) {
  const Index rate = options.rate != 0 ? options.rate : kHighestRate;
  const double most = std::min(1e9, options.longest * static_cast<double>(rate) * 8 + 1e6);
  const std::string content = content_of(path, static_cast<std::size_t>(most));
  const Header header = HeaderReader(path, content, options).read();

  // libsndfile gets to see the samples alone, as a file without a header: it reads for ever over
  // some chunks behind samples, and over some samples that look like such.
  Bytes bytes{std::string_view(content).substr(header.begin, header.size)};
  SF_VIRTUAL_IO calls = reading();
  SF_INFO info{};
  info.samplerate = static_cast<int>(header.rate);
  info.channels = 1;
  info.format = SF_FORMAT_RAW | SF_ENDIAN_LITTLE | samples_of(header);
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(
      sf_open_virtual(&calls, SFM_READ, &info, &bytes), &sf_close);
  if (!file) {
    throw FormatError(path, header.begin, fmt::format("wav: libsndfile: {}", sf_strerror(nullptr)));
  }
  const std::size_t count = header.size / header.frame;
  if (info.channels != 1 || info.samplerate != header.rate ||
      info.frames != static_cast<sf_count_t>(count)) {
    throw FormatError(path, header.begin,
                      fmt::format("wav: libsndfile finds {} samples of {} channels, not {} of one",
                                  info.frames, info.channels, count));
  }
  Sound out{header.rate, std::vector<float>(count)};
  const sf_count_t got = sf_readf_float(file.get(), out.samples.data(), info.frames);
  if (got != info.frames) {
    throw FormatError(path, header.begin, fmt::format("wav: {} of {} samples came", got, count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(out.samples[i])) {
      throw FormatError(path, header.begin + i * header.frame, "wav: a sample is not finite");
    }
  }
  return out;
}

#else

bool has_sound() { return false; }

Sound read_wav(const std::string&, const WavOptions&) {
  throw ValueError("read_wav: this program was built without libsndfile");
}

#endif

std::string encode_wav(const Sound& sound) {
  if (sound.rate < kLowestRate || sound.rate > kHighestRate) {
    throw ValueError(fmt::format("encode_wav: {} samples a second, not {} to {}", sound.rate,
                                 kLowestRate, kHighestRate));
  }
  if (sound.samples.size() > std::size_t{1} << 30) {
    throw ValueError(fmt::format("encode_wav: {} samples are too many", sound.samples.size()));
  }
  std::string out = plain_header(
      {.rate = sound.rate, .kind = kPcm, .frame = 2, .size = 2 * sound.samples.size()});
  for (const float x : sound.samples) {
    const double scaled = std::isnan(x) ? 0 : std::clamp(32768.0 * x, -32768.0, 32767.0);
    put(out, static_cast<std::uint64_t>(std::lround(scaled)), 2);
  }
  return out;
}

}  // namespace heed::data
