#include "../../data/word_vectors.h"

#include <cmath>

#include "checks.h"
#include "equal_arrays.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void word_vectors(std::string_view input) {
  static InputFile file, copy;
  const std::string& path = file.write(input);
  data::WordVectors read;
  // A word of one letter stands in a list, a set and the vocabulary.
  const bool accepted =
      accepts({path}, input.size(), {.fixed = buffers(input), .factor = 200 * unpacked(input)},
              [&] { read = data::read_word_vectors(path); });
  if (!accepted) return;
  require(read.rows.size(0) == read.vocabulary.size(), "a word has a vector");
  for (const float number : read.rows.to_vector<float>()) {
    require(std::isfinite(number), "numbers are finite");
  }
  const std::string text = data::to_text(read);
  const data::WordVectors again = data::read_word_vectors(copy.write(text));
  require(again.vocabulary.serialize() == read.vocabulary.serialize(), "words read back equal");
  require(equal({{"rows", again.rows}}, {{"rows", read.rows}}), "vectors read back equal");
}

}  // namespace heed::fuzz
