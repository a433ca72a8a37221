#include "compiled.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <thread>

namespace heed::habits {
namespace {

namespace fs = std::filesystem;

const std::string kCompiler = std::string(HEED_COMPILER) +
                              " -std=c++20 -fno-diagnostics-show-caret "
                              "-fdiagnostics-color=never -I " HEED_HEADERS;

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
}

Compiled look(const fs::path& folder, std::size_t number, const std::string& line) {
  const std::string name = (folder / std::to_string(number)).string();
  std::ofstream(name + ".cpp") << "#include \"start.h\"\nusing namespace heed;\nint main() {\n"
                               << "Tensor x = randn({2, 3}); Tensor y2 = randn({2, 3});\n"
                               << "Tensor loss = sum(x);\n#line 1 \"line\"\n"
                               << line << "\n}\n";
  Compiled out{line, false, {}};
  out.accepted =
      std::system(
          fmt::format("{} -w -fsyntax-only {}.cpp 2> {}.txt", kCompiler, name, name).c_str()) == 0;
  std::ifstream said(name + ".txt");
  const std::regex message(R"(^[^ ]+:\d+:\d+: .*)");
  for (std::string each; std::getline(said, each);) {
    if (std::regex_match(each, message)) out.messages.push_back(each);
  }
  return out;
}

}  // namespace

std::vector<Compiled> compile(const std::vector<std::string>& lines) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("heed_habits_{}", ::getpid());
  fs::create_directories(folder);
  const std::string start = (folder / "start.h").string();
  std::ofstream(start) << "#include <heed/heed.h>\n#include <cstdio>\n#include <iostream>\n";
  run(fmt::format("{} -x c++-header {} -o {}.gch", kCompiler, start, start));
  std::vector<Compiled> out(lines.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < lines.size(); i = next++) out[i] = look(folder, i, lines[i]);
  };
  {
    const std::jthread beside(work);
    work();
  }
  fs::remove_all(folder);
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
