#include "parity.h"

#include <fmt/format.h>

#include <sstream>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data {
namespace {

AnsweredSteps vectors(Index batch, Index numbers) {
  return {Array::zeros({batch, 1, numbers}, DType::f32), Array::zeros({batch, 1, 1}, DType::i64),
          std::vector<Index>(static_cast<std::size_t>(batch), 1)};
}

// The b-th vector's number at a place.
void put(AnsweredSteps& to, Index b, Index place, bool one) {
  to.x.mutable_data<float>()[b * to.x.size(2) + place] = one ? 1.0F : -1.0F;
  to.y.mutable_data<Index>()[b] ^= one ? 1 : 0;
}

}  // namespace

AnsweredSteps draw_parity(Index batch, Index numbers, const Lengths& lengths,
                          Generator& generator) {
  if (batch < 0 || lengths.longest > numbers) {
    throw ValueError(
        fmt::format("parity: {} vectors, up to {} of {} numbers", batch, lengths.longest, numbers));
  }
  AnsweredSteps out = vectors(batch, numbers);
  for (Index b = 0; b < batch; ++b) {
    const Index some = lengths.draw(generator);
    for (Index i = 0; i < some; ++i) put(out, b, i, generator.below(2) == 1);
  }
  return out;
}

AnsweredSteps read_parity(const std::string& line, Index numbers) {
  AnsweredSteps out = vectors(1, numbers);
  std::istringstream in(line);
  Index some = 0;
  for (std::string word; in >> word; ++some) {
    if (word != "0" && word != "1") {
      throw ValueError(fmt::format("parity: {} is neither 0 nor 1", in_quotes(word)));
    }
    if (some < numbers) put(out, 0, some, word == "1");
  }
  if (some < 1 || some > numbers) {
    throw ValueError(fmt::format("parity: {} numbers, not 1 to {}", some, numbers));
  }
  return out;
}

}  // namespace heed::data
