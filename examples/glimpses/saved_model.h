// A trained model on disk: weights and configuration in one folder, written so that the folder
// always holds one whole model.
#pragma once

#include <memory>
#include <string>

#include "../../io/model_directory.h"
#include "model.h"

namespace glimpses {

/// Writes the two files and `more` beside them. Throws IoError; the old model is whole then.
void save(const GlimpseModel& model, const std::string& folder, io::DirectoryFiles more = {});

/// Throws IoError for a missing folder or file, FormatError for a damaged one.
std::unique_ptr<GlimpseModel> load(const std::string& folder);

}  // namespace glimpses
