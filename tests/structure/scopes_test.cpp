// Every layer of ours opens a Scope, or errors and profiles would not know where they are.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "source_tree.h"

namespace heed {
namespace {

// What hands its result through forwarded() inside of a function that has opened one.
const std::set<std::string> kInside = {"MultiHead::join", "TransformerXLHeads::look"};

bool is_code(const std::string& line, const char* what) {
  const std::size_t at = line.find(what);
  return at != line.npos && line.find("//") > at;
}

// In a .cpp file functions begin and end without indentation.
TEST(Scopes, StandInEveryFunctionThatForwards) {
  int functions = 0;
  for (const SourceFile& file : source_files()) {
    if (file.folder() != "nn" && file.folder() != "attention") continue;
    if (file.place == "nn/module.cpp" || file.place == "nn/module.h") continue;
    if (file.place == "nn/hooks.cpp") continue;  // speaks of it
    std::string head;
    bool scope = false, forwards = false;
    for (const std::string& line : file.lines) {
      const bool function_begins = file.place.extension() == ".cpp"
                                       ? !line.empty() && line.front() != ' ' &&
                                             line.find("::") != line.npos &&
                                             line.find('(') != line.npos
                                       : line.find("operator()") != line.npos;
      if (function_begins) {
        head = line;
        scope = forwards = false;
      }
      scope = scope || is_code(line, "Scope scope(*this);");
      if (!is_code(line, "forwarded(") || forwards) continue;
      forwards = true;
      ++functions;
      bool inside = false;
      for (const std::string& name : kInside) inside = inside || head.find(name) != head.npos;
      EXPECT_TRUE(scope || inside)
          << file.place.string() << ": " << head << ": begins without `const Scope scope(*this);`";
    }
  }
  EXPECT_GT(functions, 90);
}

}  // namespace
}  // namespace heed
