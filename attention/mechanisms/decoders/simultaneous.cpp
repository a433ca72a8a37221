#include "simultaneous.h"

#include <fmt/format.h>

#include "../../../core/error.h"

namespace heed::attention {

SimultaneousText write_while_reading(const Simultaneous& who, Index end, Index longest) {
  if (!who.read || !who.write || longest < 0) {
    throw ValueError(fmt::format(
        "write_while_reading: somebody must read and write, up to a length that is not negative, "
        "not {}",
        longest));
  }
  SimultaneousText text;
  Index read = 0;
  bool ended = false;
  while (std::ssize(text.words) < longest && (text.words.empty() || text.words.back() != end)) {
    const auto word = who.write(read, std::ssize(text.words), ended);
    if (word) {
      text.words.push_back(*word);
      text.read.push_back(read);
    } else if (ended) {
      throw ValueError(fmt::format(
          "write_while_reading: nothing was written though all {} words were read", read));
    } else if (who.read()) {
      ++read;
    } else {
      ended = true;
    }
  }
  return text;
}

}  // namespace heed::attention
