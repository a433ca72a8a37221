#include "mnist.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "folder_parts.h"
#include "idx.h"

namespace heed::data {
Digits read_mnist(const std::string& folder, const std::string& part) {
  const std::string images_path = plain_or_packed(folder, part + "-images-idx3-ubyte");
  const std::string labels_path = plain_or_packed(folder, part + "-labels-idx1-ubyte");
  IdxFile images = read_idx(images_path);
  const IdxFile labels = read_idx(labels_path);
  if (images.shape.rank() != 3 || images.shape[0] == 0 || images.shape[1] != kDigitSide ||
      images.shape[2] != kDigitSide) {
    throw FormatError(images_path, 4,
                      fmt::format("mnist: images of {}, not of [n, {}, {}], n > 0",
                                  to_string(images.shape), kDigitSide, kDigitSide));
  }
  if (labels.shape != Shape{images.shape[0]}) {
    throw FormatError(
        labels_path, 4,
        fmt::format("mnist: labels of {} for {} images", to_string(labels.shape), images.shape[0]));
  }
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    if (labels.bytes[i] <= 9) continue;
    throw FormatError(labels_path, 8 + i, fmt::format("mnist: {} is no digit", labels.bytes[i]));
  }
  return {std::move(images.bytes), {labels.bytes.begin(), labels.bytes.end()}};
}

}  // namespace heed::data
