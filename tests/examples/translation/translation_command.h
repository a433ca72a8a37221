// The program translation as a user runs it, and small models for its tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "../command.h"

namespace translation {

inline const char* const kSmall =
    " --sentences 30 --width 6 --hidden 8 --heads 2 --batch 100 --min-count 1 --beam 2 --threads "
    "1 ";
inline const char* const kFew = " --sentences 30 --beam 1 --threads 1 ";  // of them, to evaluate

class TranslationCommand : public heed::Command {
 protected:
  TranslationCommand() : heed::Command(HEED_TRANSLATION) {}

  // A model trained for a moment, in the folder NAME.
  std::string trained(const std::string& flags = "", const std::string& name = "m") const {
    expect_success("train --epochs 1 --save " + path(name) + kSmall + flags);
    return path(name);
  }
  std::string translated(const std::string& flags, const std::string& input = "") const {
    return expect_success("translate --threads 1 " + flags + " --model " + path("m"), input);
  }
  // A folder of files whose lines are pairs; `extension` of the targets' may be ".de.gz".
  std::string data(const std::string& name, const std::string& source, const std::string& target,
                   const std::string& extension = ".de") const {
    std::filesystem::create_directories(path(name));
    for (const std::string part : {"/train", "/val", "/test"}) {
      write(name + part + ".tok.en", source);
      write(name + part + ".tok" + extension, target);
    }
    return path(name);
  }
};

inline std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace translation
