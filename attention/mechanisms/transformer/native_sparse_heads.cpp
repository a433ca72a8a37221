#include "native_sparse_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/remainder.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/unfold.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../memory.h"
#include "../linear/heads.h"
#include "grouped_heads.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "native_sparse_heads";

void check_divides(const char* part, Index a, const char* whole, Index b) {
  if (b % a == 0) return;
  throw ValueError(fmt::format("{}: {} {} does not divide {} {}", kOp, part, a, whole, b));
}

NativeSparseOptions checked(NativeSparseOptions o) {
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  const std::pair<const char*, Index> sizes[] = {
      {"width", o.width},       {"heads", o.heads},   {"kv_heads", o.kv_heads},
      {"block", o.block},       {"stride", o.stride}, {"selected_block", o.selected_block},
      {"selected", o.selected}, {"window", o.window}};
  for (const auto& [name, size] : sizes) {
    if (size <= 0) throw ValueError(fmt::format("{}: {} {} must be positive", kOp, name, size));
  }
  if (o.head_width == 0) {
    check_divides("heads", o.heads, "width", o.width);
    o.head_width = o.width / o.heads;
  }
  check_divides("kv_heads", o.kv_heads, "heads", o.heads);
  check_divides("stride", o.stride, "block", o.block);
  check_divides("stride", o.stride, "selected_block", o.selected_block);
  if (o.head_width < 0 || o.hidden < 0 || o.initial < 0 || o.local < 1 ||
      o.initial > o.selected - o.local) {
    throw ValueError(fmt::format("{}: {} initial and {} local blocks (at least 1) are not among {}",
                                 kOp, o.initial, o.local, o.selected));
  }
  if (o.hidden == 0) o.hidden = 2 * Checked(kOp, o.head_width);
  if (o.rotary && o.head_width % 2 != 0) {
    throw ValueError(fmt::format("{}: rotary needs an even head width, not {}", kOp, o.head_width));
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", kOp, o.dropout));
  }
  return o;
}

// [N, J]: how many strides compressed block i and selected block j share.
Tensor shared_strides(Index N, Index J, const NativeSparseOptions& o) {
  const Tensor at = unsqueeze(arange(N) * o.stride, 1) + arange(0, o.block, o.stride);  // [N, each]
  const Tensor begins = at - at % o.selected_block;
  return sum(to(unsqueeze(begins, -1) == arange(J) * o.selected_block, o.dtype), {1});
}

}  // namespace

// Queries stand at the places first .. first + T - 1 of K keys.
struct NativeSparseHeads::Parts {
  Index first = 0, K = 0;
  Tensor plain, turned;               // queries [B, H, T, D], without and with their positions
  Tensor k_cmp, v_cmp;                // [B, Hk, N, D], compressed
  Tensor k_slc, v_slc, k_win, v_win;  // [B, Hk, K, D]
  Tensor real;                        // bool [B, K]; undefined: all
  Tensor spoiled;  // bool [B, 1, 1]: a step before was not finite; may be undefined
};

NativeSparseHeads::NativeSparseHeads(const NativeSparseOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      kv_proj(child<nn::Linear>("kv_proj", o.width,
                                6 * Checked(kOp, options_.kv_heads) * options_.head_width, false,
                                o.dtype)),
      gate(child<nn::Linear>("gate", o.width, 3 * Checked(kOp, o.heads), true, o.dtype)),
      key_places(parameter("key_places", zeros({o.block, options_.head_width}, o.dtype))),
      value_places(parameter("value_places", zeros({o.block, options_.head_width}, o.dtype))),
      key_phi1(child<nn::Linear>("key_phi1", Checked(kOp, o.block) * options_.head_width,
                                 options_.hidden, true, o.dtype)),
      key_phi2(child<nn::Linear>("key_phi2", options_.hidden, options_.head_width, true, o.dtype)),
      value_phi1(child<nn::Linear>("value_phi1", Checked(kOp, o.block) * options_.head_width,
                                   options_.hidden, true, o.dtype)),
      value_phi2(
          child<nn::Linear>("value_phi2", options_.hidden, options_.head_width, true, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", Checked(kOp, o.heads) * options_.head_width, o.width,
                                 false, o.dtype)) {
  nn::normal_(key_places, 0, 0.02);
  nn::normal_(value_places, 0, 0.02);
}

// phi of the blocks within raw [B, Hk, n, D] -> [B, Hk, blocks, D]; what is not real counts as 0.
Tensor NativeSparseHeads::compressed(const Tensor& raw, const Tensor& real, const Tensor& places,
                                     const nn::Linear& phi1, const nn::Linear& phi2) const {
  const Index B = raw.size(0), H = raw.size(1), l = options_.block, D = options_.head_width;
  if (raw.size(2) < l) return zeros(Shape{B, H, 0, D}, raw.dtype());
  const auto blocks = [&](const Tensor& x) {  // [.., blocks, l, any]
    return transpose(unfold(x, x.rank() - 2, l, options_.stride), -1, -2);
  };
  Tensor inside = blocks(raw) + places;
  if (real.defined()) inside = where(blocks(unsqueeze(unsqueeze(real, 1), -1)), inside, 0);
  const Index N = inside.size(2);
  return phi2(gelu(phi1(reshape(inside, Shape{B, H, N, l * D}))));
}

NativeSparseHeads::Parts NativeSparseHeads::parts_of(const LinearCall& call,
                                                     KeyValueCache* cache) const {
  const Tensor& x = call.x();
  const Index B = x.size(0), T = x.size(1), D = options_.head_width, Hk = options_.kv_heads;
  const Index l = options_.block, d = options_.stride;
  Parts p;
  p.first = cache == nullptr ? 0 : cache->length();
  p.K = p.first + T;
  const auto turned = [&](const Tensor& heads) {
    return options_.rotary ? rotary(heads, options_.rotary_options, p.first) : heads;
  };
  p.plain = split_heads(q_proj(x), options_.heads);
  p.turned = turned(p.plain);
  std::vector<Tensor> six = split(kv_proj(x), Hk * D, -1);
  for (Tensor& each : six) each = split_heads(each, Hk);
  six[1] = turned(six[1]);
  six[2] = turned(six[2]);
  p.real = call.real();
  if (cache == nullptr) {
    p.k_cmp = compressed(six[0], p.real, key_places, key_phi1, key_phi2);
    p.v_cmp = compressed(six[3], p.real, value_places, value_phi1, value_phi2);
    p.k_slc = six[1], p.k_win = six[2], p.v_slc = six[4], p.v_win = six[5];
    return p;
  }
  // Blocks that end within these steps begin behind those of before.
  const auto ended = [&](Index places) { return places < l ? 0 : (places - l) / d + 1; };
  const Index before = ended(p.first), now = ended(p.K), from = before * d;
  const bool begun = p.first > 0;
  const auto raw = [&](const Tensor& old, Index at, const Tensor& added) {
    if (!begun) return added;
    return concat({narrow(narrow(old, 3, at * D, D), 2, from, p.first - from), added}, 2);
  };
  const Tensor flags = p.real.defined() ? heed::to(p.real, x.dtype()) : ones({B, T}, x.dtype());
  const Tensor flag = expand(unsqueeze(unsqueeze(flags, 1), -1), Shape{B, Hk, T, 1});
  const Tensor keys = begun ? finite_part(cache->keys()).x : Tensor();
  const Tensor values = begun ? cache->values() : Tensor();
  Tensor here = flag;
  if (begun) here = concat({narrow(narrow(values, 3, 4 * D, 1), 2, from, p.first - from), flag}, 2);
  here = select(select(here, 3, 0), 1, 0) > 0.5;
  const Tensor k_new = compressed(raw(keys, 0, six[0]), here, key_places, key_phi1, key_phi2);
  const Tensor v_new =
      compressed(raw(values, 0, six[3]), here, value_places, value_phi1, value_phi2);
  const auto behind_last = [&](const Tensor& blocks) {
    Tensor none = zeros(Shape{B, Hk, T, D}, x.dtype());
    if (now == before) return none;
    return index_add(none, 2, arange(before, now) * d + (l - 1 - p.first), blocks);
  };
  const Tensor bad = call.bad_rows();  // [B, T, 1]
  const auto marked = [&](const Tensor& rows) {
    return bad.defined() ? with_bad(rows, unsqueeze(bad, 1)) : rows;
  };
  cache->append(marked(concat({six[0], six[1], six[2], behind_last(k_new)}, -1)),
                concat({six[3], six[4], six[5], behind_last(v_new), flag}, -1));
  const FinitePart all = finite_part(cache->keys());
  if (all.bad.defined())
    p.spoiled = reshape(any(narrow(all.bad, 2, 0, p.first), {1, 2, 3}), {B, 1, 1});
  const auto part = [&](const Tensor& of, Index at) { return narrow(of, 3, at * D, D); };
  p.k_slc = part(all.x, 1), p.k_win = part(all.x, 2);
  p.v_slc = part(cache->values(), 1), p.v_win = part(cache->values(), 2);
  const auto at_ends = [&](const Tensor& rows) { return slice(rows, 2, l - 1, p.K, d); };
  p.k_cmp = at_ends(part(all.x, 3)), p.v_cmp = at_ends(part(cache->values(), 3));
  p.real = select(select(cache->values(), 3, 4 * D), 1, 0) > 0.5;
  return p;
}

// Context [B, H, T, D], weights [B, H, T, N].
Attended NativeSparseHeads::look_at_compressed(const Parts& p, const Terms& own) const {
  const Index T = p.plain.size(2), N = p.k_cmp.size(2);
  if (N == 0) {
    return {zeros(p.plain.shape(), p.plain.dtype()),
            zeros(Shape{p.plain.size(0), p.plain.size(1), T, 0}, p.plain.dtype())};
  }
  const Tensor ends = arange(N) * options_.stride + (options_.block - 1);
  Tensor may = ends <= unsqueeze(arange(p.first, p.first + T), 1);  // [T, N]
  if (p.real.defined()) {
    const Tensor there = any(unfold(p.real, 1, options_.block, options_.stride), {-1});  // [B, N]
    may = may & unsqueeze(unsqueeze(there, 1), 1);
  }
  Terms terms = own;
  terms.mask = Mask(may);
  terms.need_weights = true;
  return attend_in_groups(p.plain, Memory(p.k_cmp, p.v_cmp), terms);
}

SelectedBlocks NativeSparseHeads::choose(const Parts& p, const Tensor& weights) const {
  const NoGrad off;
  const Index B = weights.size(0), H = options_.heads, Hk = options_.kv_heads, T = weights.size(2);
  const Index N = weights.size(3), size = options_.selected_block, J = (p.K + size - 1) / size;
  Tensor importance = sum(reshape(weights.detach(), Shape{B, Hk, H / Hk, T, N}), {2});
  importance = matmul(importance, heed::to(shared_strides(N, J, options_), weights.dtype()));
  const Tensor place = reshape(arange(p.first, p.K), Shape{T, 1}), blocks = arange(J);
  // The first key that there is in each block.
  Tensor begins = blocks * size;
  if (p.real.defined() && p.K > 0) {
    Tensor real = expand(p.real, Shape{B, p.K});
    Tensor at = where(real, arange(p.K), p.K);
    at = concat({at, full(Shape{B, size - 1}, p.K, DType::i64)}, 1);
    begins = reshape(amin(unfold(at, 1, size, size), {2}), Shape{B, 1, 1, J});
  }
  const Tensor own = place - place % size;
  const Tensor near = (blocks * size <= own) & (blocks * size > own - options_.local * size);
  const Tensor always = near | (blocks < static_cast<double>(options_.initial));
  importance = where(always, 2.0 * static_cast<double>(H * options_.block), importance);
  importance = where(begins <= place, importance, -1);
  const Picked best = topk(importance, std::min(options_.selected, J), -1);
  return {size, where(best.values < 0, -1, best.indices), p.real};
}

LinearCall NativeSparseHeads::call_of(const Tensor& x, const Terms& terms, Index first) const {
  return LinearCall(kOp, Looks::back, x, options_.width, out_proj.weight.dtype(), terms, first);
}

Tensor NativeSparseHeads::chosen(const Tensor& x, const Terms& terms) const {
  const NoGrad off;
  const Parts p = parts_of(call_of(x, terms, 0), nullptr);
  return choose(p, look_at_compressed(p, {}).weights).chosen;
}

Attended NativeSparseHeads::run(const Tensor& given, const Terms& terms, KeyValueCache* cache,
                                bool by_mask) const {
  const Scope scope(*this);
  if (cache != nullptr && cache->options().window > 0) {
    throw ValueError(
        fmt::format("{}: a rolling cache drops what may be chosen: give a plain one", kOp));
  }
  const LinearCall call = call_of(given, terms, cache == nullptr ? 0 : cache->length());
  const Parts p = parts_of(call, cache);
  const Index B = given.size(0), T = given.size(1), H = options_.heads, Hk = options_.kv_heads;
  const Index D = options_.head_width;
  Terms own;
  if (training()) own.dropout = options_.dropout;
  const Attended cmp = look_at_compressed(p, own);
  const SelectedBlocks blocks = choose(p, cmp.weights);
  const Tensor q = reshape(p.turned, Shape{B, Hk, H / Hk, T, D});
  Attended slc;
  if (by_mask || call.need_weights()) {
    Terms seen = own;
    seen.need_weights = call.need_weights();
    slc = attend_by_mask(q, p.k_slc, p.v_slc, blocks, seen);
  } else {
    slc.context = attend_to_blocks(q, p.k_slc, p.v_slc, blocks, own);
  }
  Terms near = own;
  near.mask = Mask::window(options_.window - 1, 0);
  if (p.real.defined()) near.mask = near.mask & Mask::key_padding(p.real);
  const Tensor win = attend_in_groups(p.turned, Memory(p.k_win, p.v_win), near).context;

  const Tensor gates = unsqueeze(
      transpose(reshape(sigmoid(gate(call.x())), Shape{B, T, H, 3}), 1, 2), -1);  // [B, H, T, 3, 1]
  const Tensor mixed = select(gates, 3, 0) * cmp.context +
                       select(gates, 3, 1) * reshape(slc.context, Shape{B, H, T, D}) +
                       select(gates, 3, 2) * win;
  Attended out{out_proj(join_heads(mixed))};
  if (call.need_weights()) out.weights = reshape(slc.weights, Shape{B, H, T, p.K});
  if (p.spoiled.defined()) {
    out.context = with_bad(out.context, expand(p.spoiled, out.context.shape()));
    if (call.need_weights()) {
      out.weights = with_bad(out.weights, expand(unsqueeze(p.spoiled, 1), out.weights.shape()));
    }
  }
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

Attended NativeSparseHeads::operator()(const Tensor& x, const Terms& terms,
                                       KeyValueCache* cache) const {
  return run(x, terms, cache, false);
}

Attended NativeSparseHeads::by_definition(const Tensor& x, const Terms& terms) const {
  return run(x, terms, nullptr, true);
}

}  // namespace heed::attention
