// A folder of texts and their translations, which differ in nothing but the ending of their names:
// train.en and train.de, or train.en.gz and train.de.gz.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::data {

/// The paths of a text and of its translation.
using ParallelFiles = std::pair<std::string, std::string>;

/// Of all texts, in the order of names, that begin with the first of `beginnings` of which any has
/// a translation: of the ending from, and of to. Never empty. Throws IoError; ValueError, which
/// names what is lacking, where there is none.
std::vector<ParallelFiles> find_all_parallel(const std::string& folder, const std::string& from,
                                             const std::string& to,
                                             const std::vector<std::string>& beginnings);
/// The first of them.
ParallelFiles find_parallel(const std::string& folder, const std::string& from,
                            const std::string& to, const std::vector<std::string>& beginnings);

}  // namespace heed::data
