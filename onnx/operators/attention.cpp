// Attention of version 23: q [B, H, Q, D], or [B, Q, H D] with the numbers of heads as attributes.
// H may be a multiple of the heads of k and v, which then are shared by H / Hk neighbours. A mask
// of truths says who may attend, one of numbers is added to the scores; keys behind its end are not
// attended to. Causal queries stand behind the past keys: query i sees key j <= i + past.
#include "../../autograd/ops/attention/attention.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/pad.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "operators.h"

namespace heed::onnx {
namespace {

struct Settings {
  Index heads = 0, shared = 0;  // 0: from the shapes
  double scale = 0;             // 0: 1 / sqrt(D)
  bool causal = false;
};

// [B, L, H D] -> [B, H, L, D]
Tensor apart(const Tensor& x, Index heads, const char* what) {
  if (x.rank() == 4) return x;
  if (x.rank() != 3 || heads < 1 || x.size(2) % heads != 0) {
    throw ShapeError(
        fmt::format("{} must be [B, H, L, D], or [B, L, H D] with the number of heads, not {}",
                    what, describe(x.array())));
  }
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}

// [.., h, Q, up to K], h 1 or H -> [b, Hk, H / Hk, Q, K]
Tensor mask_of(const Tensor& mask, Index shared, Index heads, Index keys) {
  Tensor out = mask;
  if (out.rank() < 2 || out.rank() > 4)
    throw ShapeError("the mask must be [.., Q, K], not " + describe(mask.array()));
  if (out.size(-1) < keys) {
    const bool truths = out.dtype() == DType::boolean;
    out = pad(out, {0, keys - out.size(-1)}, PadMode::constant,
              truths ? Scalar(false) : Scalar(-std::numeric_limits<double>::infinity()));
  }
  while (out.rank() < 4) out = unsqueeze(out, 0);
  const Shape s = out.shape();
  if (s[1] == 1) return reshape(out, {s[0], 1, 1, s[2], s[3]});
  if (s[1] != heads)
    throw ShapeError(fmt::format("the mask {} is not for {} heads", describe(mask.array()), heads));
  return reshape(out, {s[0], shared, heads / shared, s[2], s[3]});
}

std::vector<Tensor> attended(const std::vector<Tensor>& in, const Settings& settings) {
  const Tensor q = apart(in[0], settings.heads, "Q");
  Tensor k = apart(in[1], settings.shared, "K"), v = apart(in[2], settings.shared, "V");
  const Tensor &mask = input_or_none(in, 3), &past_k = input_or_none(in, 4),
               &past_v = input_or_none(in, 5);
  if (past_k.defined() != past_v.defined())
    throw ShapeError("past keys and past values go together");
  if (past_k.defined()) {
    k = concat({past_k, k}, 2);
    v = concat({past_v, v}, 2);
  }
  const Index heads = q.size(1), shared = k.size(1);
  if (shared < 1 || heads % shared != 0 || v.size(1) != shared) {
    throw ShapeError(fmt::format("{} heads of queries do not share {} of keys and {} of values",
                                 heads, shared, v.size(1)));
  }
  AttentionOptions options{.scale = settings.scale};
  if (settings.scale == 0) options.scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  if (mask.defined()) {
    (mask.dtype() == DType::boolean ? options.allowed : options.bias) =
        mask_of(mask, shared, heads, k.size(2));
  }
  const Index queries = q.size(2), keys = k.size(2);
  const Index past = past_k.defined() ? past_k.size(2) : 0;
  if (settings.causal && keys - past == queries) {
    options.right = 0;
  } else if (settings.causal) {
    const Tensor before = reshape(arange(past, past + queries), {queries, 1}) >= arange(keys);
    options.allowed = options.allowed.defined() ? options.allowed & before : before;
  }
  const Shape s = q.shape();
  const Tensor context = dot_attention(reshape(q, {s[0], shared, heads / shared, queries, s[3]}),
                                       unsqueeze(k, 2), unsqueeze(v, 2), options);
  const Tensor out = reshape(context, {s[0], heads, queries, v.size(3)});
  return {
      in[0].rank() == 4 ? out : reshape(transpose(out, 1, 2), {s[0], queries, heads * v.size(3)}),
      k, v};
}

Operation attention_of(NodeReader& node) {
  node.inputs(3, 6);
  node.outputs(3);
  const Settings settings{.heads = node.integer("q_num_heads", 0),
                          .shared = node.integer("kv_num_heads", 0),
                          .scale = node.number("scale", 0),
                          .causal = node.truth("is_causal", false)};
  if (node.number("softcap", 0) != 0) node.fail("attribute softcap is not supported");
  node.only("qk_matmul_output_mode", 0);
  node.ignore("softmax_precision");
  if (settings.causal && node.has_input(4) && node.opset() < 24) {
    node.fail(
        "is_causal beside past keys is not supported before version 24, which says where the "
        "queries stand");
  }
  return [settings](const std::vector<Tensor>& in, const Run&) { return attended(in, settings); };
}

// What fuse_attention() puts together: q, k turned round, v, and scale, mask and fill, each or
// none.
struct Parts {
  std::string scale, mask;
};

// Part by part, as the file has it.
Tensor in_parts(const std::vector<Tensor>& in, const Parts& parts) {
  Tensor scores = matmul(in[0], in[1]);
  if (parts.scale == "multiply") scores = scores * in[3];
  if (parts.scale == "divide") scores = scores / in[3];
  if (parts.mask == "add") scores = scores + in[4];
  if (parts.mask == "where") scores = where(in[4], scores, in[5]);
  if (parts.mask == "where not") scores = where(in[4], in[5], scores);
  return matmul(softmax(scores, -1), in[2]);
}

// [.., Q, K] of q [.., Q, D], k turned round [.., D, K] and v [.., K, E], where there is one.
std::optional<Shape> scores_of(const Shape& q, const Shape& k, const Shape& v) {
  const Index rank = q.rank();
  if (rank < 3 || k.rank() != rank || v.rank() != rank) return {};
  Shape out = q;
  for (Index axis = 0; axis < rank - 2; ++axis) {
    for (const Shape* const other : {&k, &v}) {
      if (out[axis] == 1) out[axis] = (*other)[axis];
      if ((*other)[axis] != 1 && (*other)[axis] != out[axis]) return {};
    }
  }
  out[rank - 1] = k[rank - 1];
  return out;
}
bool is_number(const Tensor& x, Index rank) {
  return x.numel() == 1 && x.rank() <= rank && !x.requires_grad();
}

Tensor attended_at_once(const std::vector<Tensor>& in, const Parts& parts) {
  const auto whole = scores_of(in[0].shape(), in[1].shape(), in[2].shape());
  const Tensor &scale = in[3], &mask = in[4], &fill = in[5];
  bool fits = whole.has_value();
  if (scale.defined()) fits = fits && is_number(scale, in[0].rank());
  if (mask.defined()) fits = fits && broadcasts_to(mask.shape(), *whole);
  if (parts.mask == "add") fits = fits && mask.dtype() == in[0].dtype();
  // What is forbidden gets -infinity, and nothing else.
  if (fill.defined()) {
    fits = fits && is_number(fill, in[0].rank()) && std::isinf(fill.item()) && fill.item() < 0 &&
           mask.dtype() == DType::boolean;
  }
  if (!fits) return in_parts(in, parts);
  AttentionOptions options;
  if (scale.defined()) options.scale = parts.scale == "multiply" ? scale.item() : 1 / scale.item();
  if (parts.mask == "add") options.bias = mask;
  if (parts.mask == "where") options.allowed = mask;
  if (parts.mask == "where not") options.allowed = logical_not(mask);
  return dot_attention(in[0], transpose(in[1], -1, -2), in[2], options);
}

}  // namespace

Operation fused_attention(NodeReader& node) {
  const Parts parts{.scale = node.text("scale", ""), .mask = node.text("mask", "")};
  return one(
      [parts](const std::vector<Tensor>& in, const Run&) { return attended_at_once(in, parts); });
}

void add_attention(Makers& to) { to["Attention"] = attention_of; }

}  // namespace heed::onnx
