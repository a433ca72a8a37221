// Models of minGPT (github.com/karpathy/minGPT), by the names of their parameters.
#pragma once

#include <memory>
#include <string>

#include "decoder_only.h"

namespace heed::pretrained {

/// The model in a file of tensor_json.h, in eval mode. Throws IoError; FormatError with `path`,
/// also for parameters that are missing, left over or of another shape: all of them are listed.
std::unique_ptr<DecoderOnly> read_mingpt(const std::string& path);

}  // namespace heed::pretrained
