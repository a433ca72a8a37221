// Where the project's sources lie, and the data sets that tests may read but the project does not
// hold.
#pragma once

#include <filesystem>
#include <string>

namespace heed {

std::filesystem::path source_root();

/// HEED_DATA, or else shared/data beside the project. What is absent there is skipped, with a word.
std::string data_folder();

}  // namespace heed
