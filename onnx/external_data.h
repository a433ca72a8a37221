// Numbers that lie in files beside the model, inside of its folder. Internal to onnx.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "../core/array.h"
#include "../io/elements.h"

namespace heed::onnx {

/// Where a tensor's numbers are: a file's name from the model's folder, and the bytes in it.
struct ExternalPiece {
  std::string location = {};
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< 0: as many as the shape has
};

class ExternalData {
 public:
  explicit ExternalData(std::string model_path) : path_(std::move(model_path)) {}

  /// Tensors that name the same piece share it. All others of a file together are at most as long
  /// as the file, so that memory is bounded by what is there. Throws FormatError in the model's
  /// name, at `place`, for a location outside of the folder (also by a link) and for bytes that the
  /// file has not; IoError.
  Array read(const ExternalPiece& piece, io::Element element, const Shape& shape,
             std::uint64_t place, const std::string& what);

 private:
  struct File {
    std::string path = {};
    std::uint64_t size = 0, used = 0;
  };
  File& file(const std::string& location, std::uint64_t place, const std::string& what);

  std::string path_;
  std::map<std::string, File> files_;  // by their own paths, whatever links lead there
  std::map<std::tuple<std::string, std::uint64_t, io::Element, std::string>, Array> read_;
};

}  // namespace heed::onnx
