// A folder of texts and their translations, which differ in nothing but the ending of their names:
// train.en and train.de, or train.en.gz and train.de.gz.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::data {

/// The paths of the first text, in the order of names, that begins with one of `beginnings`, tried
/// in their order, and has a translation: of the ending from, and of to. Throws IoError;
/// ValueError, which names what is lacking, where there is none.
std::pair<std::string, std::string> find_parallel(const std::string& folder,
                                                  const std::string& from, const std::string& to,
                                                  const std::vector<std::string>& beginnings);

}  // namespace heed::data
