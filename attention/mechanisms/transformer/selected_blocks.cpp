#include "selected_blocks.h"

#include <algorithm>

#include "../../../autograd/checkpoint.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/remainder.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/arrange.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/traced.h"
#include "../../attend.h"

namespace heed::attention {
namespace {

// Whole blocks as rows [B Hk J, size D], with zeros behind the last key.
Tensor rows_of_blocks(const Tensor& x, Index size) {
  const Index B = x.size(0), H = x.size(1), K = x.size(2), D = x.size(3);
  const Index J = (K + size - 1) / size;
  const Tensor behind = zeros(Shape{B, H, J * size - K, D}, x.dtype());
  return reshape(J * size == K ? x : concat({x, behind}, 2), Shape{B * H * J, size * D});
}

}  // namespace

Tensor seen_keys(const SelectedBlocks& blocks, Index K) {
  const Index T = blocks.chosen.size(2), J = (K + blocks.size - 1) / blocks.size;
  Tensor seen;
  if (traced()) {  // by operators that can be followed, whatever the number of keys
    const Tensor keys = arange(K), begins = keys - keys % blocks.size;
    seen = any(unsqueeze(blocks.chosen * blocks.size, -1) == begins, {3});
  } else {
    const Tensor chosen = any(unsqueeze(blocks.chosen, -1) == arange(J), {3});  // [B, Hk, T, J]
    seen = narrow(repeat_interleave(chosen, blocks.size, -1), -1, 0, K);
  }
  seen = seen & (arange(K) <= unsqueeze(arange(K - T, K), 1));
  if (!blocks.real.defined()) return seen;
  return seen & unsqueeze(unsqueeze(blocks.real, 1), 1);
}

Attended attend_by_mask(const Tensor& q, const Tensor& k, const Tensor& v,
                        const SelectedBlocks& blocks, const Terms& given) {
  Terms terms = given;
  terms.mask = Mask(unsqueeze(seen_keys(blocks, k.size(2)), 2));
  return attend(q, unsqueeze(k, 2), unsqueeze(v, 2), terms);
}

Tensor attend_by_gathering(const Tensor& q, const Tensor& k, const Tensor& v,
                           const SelectedBlocks& blocks, const Terms& given, Index chunk) {
  const Index B = q.size(0), H = q.size(1), T = q.size(3), K = k.size(2);
  const Index size = blocks.size, n = blocks.chosen.size(3), J = (K + size - 1) / size;
  const Tensor which = maximum(blocks.chosen, 0);
  const Tensor first = reshape(arange(B * H) * J, Shape{B, H, 1, 1});
  const Tensor rows = which + first;
  Tensor places = unsqueeze(which * size, -1) + arange(size);  // [B, Hk, T, n, size]
  Tensor may =
      unsqueeze(blocks.chosen >= 0, -1) & (places <= reshape(arange(K - T, K), Shape{T, 1, 1}));
  if (blocks.real.defined()) {
    const Tensor real =
        concat({blocks.real, Tensor(Array::zeros({B, J * size - K}, DType::boolean))}, 1);
    const Tensor at = flatten(places + reshape(arange(B) * (J * size), Shape{B, 1, 1, 1, 1}));
    may = may & reshape(index_select(flatten(real), 0, at), places.shape());
  }
  may = reshape(may, Shape{B, H, T, 1, n * size});

  const Tensor queries = transpose(q, 2, 3);  // [B, Hk, T, G, D]
  const Tensor keys = rows_of_blocks(k, size), values = rows_of_blocks(v, size);
  std::vector<Tensor> parts;
  for (Index t = 0; t < T; t += chunk) {
    const Index count = std::min(chunk, T - t);
    const Tensor index = flatten(narrow(rows, 2, t, count));
    Terms terms = given;
    terms.mask = Mask(narrow(may, 2, t, count));
    const auto part = [=, dk = k.size(3), dv = v.size(3)](const std::vector<Tensor>& in) {
      const auto gathered = [&](const Tensor& from, Index width) {
        return reshape(index_select(from, 0, index), Shape{B, H, count, n * size, width});
      };
      return std::vector<Tensor>{
          attend(in[0], gathered(in[1], dk), gathered(in[2], dv), terms).context};
    };
    const std::vector<Tensor> in = {narrow(queries, 2, t, count), keys, values};
    parts.push_back((T > chunk && recording() ? checkpoint(part, in) : part(in))[0]);
  }
  if (parts.empty()) return zeros(Shape{B, H, q.size(2), 0, v.size(3)}, v.dtype());
  return transpose(concat(parts, 2), 2, 3);
}

Tensor attend_to_blocks(const Tensor& q, const Tensor& k, const Tensor& v,
                        const SelectedBlocks& blocks, const Terms& terms) {
  const Index T = q.size(3), K = k.size(2), chosen = blocks.chosen.size(3) * blocks.size;
  const bool masked = traced() || K <= std::min<Index>(T, 8) * chosen;
  return masked ? attend_by_mask(q, k, v, blocks, terms).context
                : attend_by_gathering(q, k, v, blocks, terms);
}

}  // namespace heed::attention
