#include "../../pretrained/scored_tokens.h"

#include "../../core/error.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void scored_tokens(std::string_view input) {
  static InputFile file;
  constexpr Index kCount = 5;
  const std::string& path = file.write(input);
  accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 50}, [&] {
    const pretrained::ScoredTokens tokens(path, kCount);
    require(tokens.size() == kCount, "there are as many tokens as were wanted");
    try {
      const std::string text = "a b\u00e4<s>";
      const std::vector<Index> found = tokens.encode(text);
      for (const Index token : found) require(token < kCount, "a token is one of them");
    } catch (const ValueError&) {  // what no token has, nor bytes
    }
  });
}

}  // namespace heed::fuzz
