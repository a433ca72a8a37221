#include "tensorboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "../core/error.h"
#include "../io/read_only.h"
#include "crc32c.h"
#include "protobuf.h"

namespace heed::train {
namespace {

// Fields by their names in tensorboard/compat/proto.
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace session_log {
constexpr int kStatus = 1, kStart = 1;
}
namespace summary {
constexpr int kValue = 1;
}
namespace value {
constexpr int kTag = 1, kSimpleValue = 2, kImage = 4, kHistogram = 5, kTensor = 8, kMetadata = 9;
}
namespace image {
constexpr int kHeight = 1, kWidth = 2, kColourSpace = 3, kEncoded = 4, kRgb = 3;
}
namespace histogram {
constexpr int kLeast = 1, kMost = 2, kCount = 3, kSum = 4, kSumOfSquares = 5, kLimits = 6,
              kBuckets = 7;
}
namespace tensor {
constexpr int kDType = 1, kShape = 2, kStrings = 8, kString = 7;
constexpr int kDim = 2, kSize = 1;  // of its shape
}  // namespace tensor
namespace metadata {
constexpr int kPlugin = 1, kName = 1;
}

constexpr std::string_view kBegin = "events.out.tfevents.";

double now() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

// Later than every file that is there: TensorBoard reads them in the order of their names.
std::int64_t next_second(const std::string& folder) {
  namespace fs = std::filesystem;
  auto seconds = static_cast<std::int64_t>(now());
  if (io::read_only()) return seconds;
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw IoError(folder, "cannot create the folder", code.value());
  fs::directory_iterator entries(folder, code);
  if (code) throw IoError(folder, "cannot read the folder", code.value());
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kBegin)) continue;
    const std::int64_t other = std::atoll(name.c_str() + kBegin.size());
    if (other < INT32_MAX) seconds = std::max(seconds, other + 1);
  }
  return seconds;
}

std::string new_path(const std::string& folder) {
  const std::int64_t seconds = next_second(folder);
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  return (std::filesystem::path(folder) /
          fmt::format("{}{:010}.{}.{}", kBegin, seconds, host, ::getpid()))
      .string();
}

// As TensorFlow masks CRCs of data that may hold CRCs.
std::string masked(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian<std::uint32_t>(((crc >> 15) | (crc << 17)) + 0xA282EAD8u);
}

void append(io::AppendFile& file, Protobuf what) {
  what.real(event::kWallTime, now());
  const std::string length = little_endian<std::uint64_t>(what.bytes().size());
  file.append(length + masked(length) + what.bytes() + masked(what.bytes()));
}

Protobuf at(std::int64_t step) {
  return Protobuf().number(event::kStep, static_cast<std::uint64_t>(step));
}

Protobuf tagged(const std::string& name) { return Protobuf().text(value::kTag, name); }

void append(io::AppendFile& file, std::int64_t step, const Protobuf& what) {
  append(file, at(step).message(event::kSummary, Protobuf().message(summary::kValue, what)));
}

}  // namespace

TensorBoard::TensorBoard(const std::string& folder) : file_(new_path(folder)) {
  append(file_, Protobuf().text(event::kFileVersion, "brain.Event:2"));
}

void TensorBoard::write_scalar(std::int64_t step, const std::string& name, double value) {
  append(file_, step, tagged(name).real32(value::kSimpleValue, static_cast<float>(value)));
}

void TensorBoard::write_text(std::int64_t step, const std::string& name, const std::string& text) {
  const Protobuf one = Protobuf().message(tensor::kDim, Protobuf().number(tensor::kSize, 1));
  const Protobuf strings = Protobuf()
                               .number(tensor::kDType, tensor::kString)
                               .message(tensor::kShape, one)
                               .text(tensor::kStrings, text);
  const Protobuf plugin =
      Protobuf().message(metadata::kPlugin, Protobuf().text(metadata::kName, "text"));
  append(file_, step,
         tagged(name).message(value::kTensor, strings).message(value::kMetadata, plugin));
}

void TensorBoard::write_histogram(std::int64_t step, const std::string& name,
                                  const Spread& spread) {
  const Protobuf shown = Protobuf()
                             .real(histogram::kLeast, spread.least)
                             .real(histogram::kMost, spread.most)
                             .real(histogram::kCount, static_cast<double>(spread.count))
                             .real(histogram::kSum, spread.sum)
                             .real(histogram::kSumOfSquares, spread.sum_of_squares)
                             .reals(histogram::kLimits, spread.limits)
                             .reals(histogram::kBuckets, spread.counts);
  append(file_, step, tagged(name).message(value::kHistogram, shown));
}

void TensorBoard::write_image(std::int64_t step, const std::string& name, const Picture& picture) {
  const Protobuf shown = Protobuf()
                             .number(image::kHeight, static_cast<std::uint64_t>(picture.height()))
                             .number(image::kWidth, static_cast<std::uint64_t>(picture.width()))
                             .number(image::kColourSpace, image::kRgb)
                             .text(image::kEncoded, encode_png(picture));
  append(file_, step, tagged(name).message(value::kImage, shown));
}

// A START makes TensorBoard forget what files before it hold of that step and later ones.
void TensorBoard::go_on_after(std::int64_t step) {
  append(file_, at(step + 1).message(event::kSessionLog,
                                     Protobuf().number(session_log::kStatus, session_log::kStart)));
}

}  // namespace heed::train
