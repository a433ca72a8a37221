#include "two_streams.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/dropout.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "two_streams";

const TwoStreamsOptions& checked(const TwoStreamsOptions& o) {
  if (o.width > 0 && o.other_width > 0 && o.hidden >= 0 && o.other_hidden >= 0) return o;
  throw ValueError(
      fmt::format("{}: width {} and other_width {} must be positive, hidden {} and "
                  "other_hidden {} not negative",
                  kOp, o.width, o.other_width, o.hidden, o.other_hidden));
}

}  // namespace

StreamHalf::StreamHalf(Index width, Index other_width, Index hidden, const TwoStreamsOptions& o)
    : attend(child<MultiHead>("attend", MultiHeadOptions{.width = width,
                                                         .heads = o.heads,
                                                         .key_width = other_width,
                                                         .value_width = other_width,
                                                         .dropout = o.dropout,
                                                         .dtype = o.dtype})),
      norm1(child<nn::LayerNorm>("norm1", Shape{width}, 1e-5, true, o.dtype)),
      norm2(child<nn::LayerNorm>("norm2", Shape{width}, 1e-5, true, o.dtype)),
      linear1(child<nn::Linear>("linear1", width, hidden == 0 ? 4 * Checked(kOp, width) : hidden,
                                true, o.dtype)),
      linear2(child<nn::Linear>("linear2", hidden == 0 ? 4 * Checked(kOp, width) : hidden, width,
                                true, o.dtype)),
      dropout(o.dropout) {}

Attended StreamHalf::operator()(const Tensor& x, const Tensor& y, const Terms& terms) const {
  const Scope scope(*this);
  const auto dropped = [&](const Tensor& z) { return heed::dropout(z, dropout, training()); };
  Attended out = named(kOp, [&] { return attend(x, y, y, terms); });
  const Tensor h = norm1(x + dropped(out.context));
  out.context = forwarded(norm2(h + dropped(linear2(gelu(linear1(h))))));
  return out;
}

TwoStreams::TwoStreams(const TwoStreamsOptions& o)
    : options_(checked(o)),
      first(child<StreamHalf>("first", o.width, o.other_width, o.hidden, o)),
      second(child<StreamHalf>("second", o.other_width, o.width, o.other_hidden, o)) {}

TwoStreamsOutput TwoStreams::operator()(const Tensor& given_x, const Tensor& given_y,
                                        const Mask& x_mask, const Mask& y_mask,
                                        bool need_weights) const {
  const Scope scope(*this);
  const auto x = masked_sequence(kOp, "x", given_x, options_.width,
                                 first.attend.out_proj.weight.dtype(), x_mask);
  const auto y = masked_sequence(kOp, "y", given_y, options_.other_width,
                                 first.attend.out_proj.weight.dtype(), y_mask);
  check_rows_of_batch(kOp, "y", given_y, given_x.size(0));
  const auto terms = [&](const Tensor& real) {
    return Terms{.mask = of_places(real), .need_weights = need_weights};
  };
  TwoStreamsOutput out{first(x.x, y.x, terms(y.real)), second(y.x, x.x, terms(x.real))};
  out.x.context = forwarded(out.x.context);
  return out;
}

}  // namespace heed::attention
