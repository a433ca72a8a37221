// Guides show code that tests run: all that stands in a test between the marks
// "// [docs: NAME]" and "// [end]".
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "../support/places.h"

namespace heed {

/// Every such line of `test`, but for its checks, stands in `guide`, and there are more than
/// `least`. Both are named from the project's root.
inline void expect_shown(const std::string& test, const std::string& guide, int least) {
  const auto text_of = [](const std::string& path) {
    std::ifstream in(source_root() / path);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  };
  const std::string code = text_of(test), shown = text_of(guide), begin = "// [docs: ";
  int lines = 0;
  for (std::size_t at = code.find(begin); at != std::string::npos; at = code.find(begin, at + 1)) {
    const std::size_t first = code.find('\n', at) + 1;
    std::istringstream block(code.substr(first, code.find("// [end]", first) - first));
    // Line by line, without indentation: what stands inside a test is indented there.
    std::string line;
    while (std::getline(block, line)) {
      const std::size_t start = line.find_first_not_of(' ');
      if (start == std::string::npos || line.find("EXPECT_") != std::string::npos) continue;
      EXPECT_NE(shown.find(line.substr(start)), std::string::npos) << line;
      ++lines;
    }
  }
  EXPECT_GT(lines, least);
}

}  // namespace heed
