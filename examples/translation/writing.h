// A decoder over one of the target's tables, as nn::beam_search() drives it.
#pragma once

#include <memory>

#include "../../attention/mechanisms/decoders/decoder.h"

namespace translation {

template <class Model, class D>
std::unique_ptr<nn::Decoding> writing(const Model& model, const D& decoder,
                                      typename D::State state) {
  using Writing = attention::Writing<D>;
  return std::make_unique<Writing>(
      decoder, std::move(state),
      typename Writing::Ends{
          .embed = [&](const Tensor& ids, Index) { return model.tables.target(ids); },
          .logits = [&](const Tensor& out) { return model.logits(model.tables.dropout(out)); }});
}

}  // namespace translation
