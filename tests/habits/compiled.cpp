#include "compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <thread>

#include "../io/temporary_folder.h"

namespace heed::habits {
namespace {

namespace fs = std::filesystem;

const std::string kCompiler = std::string(HEED_COMPILER) +
                              " -std=c++20 -fno-diagnostics-show-caret "
                              "-fdiagnostics-color=never -I " HEED_HEADERS;

// Where programs are written, and what they all read, compiled once.
class Folder {
 public:
  Folder() {
    const std::string start = folder_ / "start.h";
    std::ofstream(start) << "#include <heed/heed.h>\n#include <cstdio>\n#include <iostream>\n";
    const std::string command =
        fmt::format("{} -x c++-header {} -o {}.gch", kCompiler, start, start);
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

// Lines first .. end, each in a function of its own.
void write_program(const std::string& file, const std::vector<std::string>& lines,
                   std::size_t first, std::size_t end) {
  std::ofstream out(file);
  out << "#include \"start.h\"\nusing namespace heed;\n";
  for (std::size_t i = first; i < end; ++i) {
    out << "void line_" << i << "() {\nTensor x = randn({2, 3}); Tensor y2 = randn({2, 3});\n"
        << "Tensor loss = sum(x);\n#line 1 \"line\"\n"
        << lines[i] << "\n}\n";
  }
}

// Fills in out[first .. end). What many lines are accepted with, each of them is; else halves say
// which is not.
void look(const fs::path& folder, const std::vector<std::string>& lines, std::size_t first,
          std::size_t end, std::vector<Compiled>& out) {
  const std::string name = (folder / std::to_string(first)).string();
  write_program(name + ".cpp", lines, first, end);
  const bool accepted =
      std::system(
          fmt::format("{} -w -fsyntax-only {}.cpp 2> {}.txt", kCompiler, name, name).c_str()) == 0;
  if (!accepted && end - first > 1) {
    const std::size_t middle = first + (end - first) / 2;
    look(folder, lines, first, middle, out);
    look(folder, lines, middle, end, out);
    return;
  }
  for (std::size_t i = first; i < end; ++i) out[i] = {lines[i], accepted, {}};
  std::ifstream said(name + ".txt");
  const std::regex message(R"(^[^ ]+:\d+:\d+: .*)");
  for (std::string each; !accepted && std::getline(said, each);) {
    if (std::regex_match(each, message)) out[first].messages.push_back(each);
  }
}

}  // namespace

std::vector<Compiled> compile(const std::vector<std::string>& lines, std::size_t together) {
  static const Folder folder;
  std::vector<Compiled> out(lines.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(together); i < lines.size(); i = next.fetch_add(together)) {
      look(folder.path(), lines, i, std::min(i + together, lines.size()), out);
    }
  };
  {
    const std::jthread beside(work);
    work();
  }
  return out;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && !line.starts_with("#")) out.push_back(line);
  }
  return out;
}

}  // namespace heed::habits
