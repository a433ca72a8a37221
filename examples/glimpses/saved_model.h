// A trained model on disk: weights and configuration in one folder, written so that the folder
// always holds one whole model.
#pragma once

#include <memory>
#include <string>

#include "../../io/model_directory.h"
#include "model.h"

namespace glimpses {

/// What io::save_directory() writes and load() reads.
io::DirectoryFiles files_of(const GlimpseModel& model);

/// Throws IoError for a missing folder or file, FormatError for a damaged one.
std::unique_ptr<GlimpseModel> load(const std::string& folder);

}  // namespace glimpses
