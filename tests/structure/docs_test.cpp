// The book's code is compiled: every line of C++ that a page of docs/ shows stands, blanks and
// comments apart, in a source that the page names or that names the page; those sources are built
// and run by the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../support/places.h"
#include "source_tree.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(source_root() / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

/// The lines of `text`, without what they are indented by and without empty ones.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start != std::string::npos) lines.push_back(line.substr(start));
  }
  return lines;
}

std::string code_of(const std::string& page) {
  std::string code;
  for (std::size_t at = page.find("```cpp\n"); at != std::string::npos;
       at = page.find("```cpp\n", at + 1)) {
    code += page.substr(at + 7, page.find("\n```", at) - at - 6);
  }
  return code;
}

/// Without blanks, ends of lines and comments.
std::string squeezed(const std::string& code) {
  std::string out;
  for (std::string line : lines_of(code)) {
    line = line.substr(0, line.find("//"));
    for (const char c : line) {
      if (c != ' ') out += c;
    }
  }
  return out;
}

/// The sources of tests and examples that a page names, and those of tests that name the page.
std::string compiled_for(const fs::path& place, const std::string& page) {
  static const std::regex name(R"(\w+/[\w/]+\.(cpp|h))");
  std::set<fs::path> found;
  for (std::sregex_iterator at(page.begin(), page.end(), name), end; at != end; ++at) {
    if (fs::exists(source_root() / at->str())) found.insert(at->str());
  }
  const std::string own = "docs/" + place.filename().string();
  for (const SourceFile& file : source_files()) {
    if (file.folder() != "tests") continue;
    for (const std::string& line : file.lines) {
      if (line.find(own) != std::string::npos) found.insert(file.place);
    }
  }
  std::string all;
  for (const fs::path& source : found) all += squeezed(text_of(source_root() / source)) + '\n';
  return all;
}

TEST(Docs, EveryLineOfCodeIsCompiled) {
  int lines = 0;
  for (const fs::path& place : pages()) {
    const std::string page = text_of(place);
    const std::string compiled = compiled_for(place, page);
    for (const std::string& line : lines_of(code_of(page))) {
      // What the install test compiles, and what a page leaves out.
      if (line.starts_with("#include <") || line.starts_with("int main(")) continue;
      if (line.starts_with("...")) continue;
      EXPECT_NE(compiled.find(squeezed(line)), std::string::npos)
          << place.filename().string() << ": " << line;
      ++lines;
    }
  }
  EXPECT_GT(lines, 500);
}

TEST(Docs, ShowWhatStandsBetweenTheMarks) {
  static const std::regex mark(R"(<!-- ([\w/.]+): ([\w ]+) -->\n```cpp\n)");
  for (const fs::path& place : pages()) {
    const std::string page = text_of(place);
    for (std::sregex_iterator at(page.begin(), page.end(), mark), end; at != end; ++at) {
      const std::string source = text_of(source_root() / (*at)[1].str());
      const std::string name = "// [docs: " + (*at)[2].str() + "]\n";
      const std::size_t begin = source.find(name);
      ASSERT_NE(begin, std::string::npos) << at->str();
      const std::size_t first = begin + name.size();
      const auto first_shown = static_cast<std::size_t>(at->position() + at->length());
      EXPECT_EQ(lines_of(page.substr(first_shown, page.find("```", first_shown) - first_shown)),
                lines_of(source.substr(first, source.find("// [end]", first) - first)))
          << at->str() << "scripts/docs --refresh writes it anew";
    }
  }
}

}  // namespace
}  // namespace heed
