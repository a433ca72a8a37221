#include "parity.h"

#include <fmt/format.h>

#include "../../core/error.h"

namespace heed::data {

ParityVectors draw_parity(Index batch, Index numbers, Index least, Index most,
                          Generator& generator) {
  if (batch < 0 || least < 1 || most < least || numbers < most) {
    throw ValueError(fmt::format("parity: {} vectors of {} numbers, of which {} to {} are not 0",
                                 batch, numbers, least, most));
  }
  ParityVectors out{Array::zeros({batch, numbers}, DType::f32), Array::zeros({batch}, DType::i64),
                    Array::zeros({batch}, DType::i64)};
  for (Index b = 0; b < batch; ++b) {
    const Index some = least + generator.below(most - least + 1);
    Index ones = 0;
    for (Index i = 0; i < some; ++i) {
      const bool one = generator.below(2) == 1;
      ones += one;
      out.x.mutable_data<float>()[b * numbers + i] = one ? 1.0F : -1.0F;
    }
    out.odd.mutable_data<Index>()[b] = ones % 2;
    out.some.mutable_data<Index>()[b] = some;
  }
  return out;
}

}  // namespace heed::data
