// heed.attention: a set of vectors as one, and attention to a picture's places.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_GIVES(HierarchicalOutput, context, weights)

template <>
struct FieldsOf<HierarchicalLevel> {
  static constexpr bool kGiven = false;
  using O = HierarchicalLevel;
  static const Fields& all() {
    static const auto& fields = *new Fields HEED_LIST(width, hidden, encode, encode_packed, pool);
    return fields;
  }
};

namespace {

template <class T>
Mechanism<T> pool(py::module_& m, const char* what) {
  Mechanism<T> out(m, what);
  out.template init<Index, Index, DType>("width, hidden=0, dtype");
  return out;
}
template <class T>
void pool_padded(py::module_& m, const char* what) {
  pool<T>(m, what).forward(
      "values, mask, need_weights",
      [](const T& f, const Tensor& x, const Mask& mask, bool need_weights) {
        return f(x, mask, need_weights);
      },
      "context, weights of values [B, T, E]; the mask broadcasts to [B, T].");
}

const Packed* packed_of(const char* who, const Batch& values, const Mask& mask) {
  const auto* const packed = std::get_if<Packed>(&values);
  only_packed(who, packed && !mask.all(), "has no padding, so no mask");
  return packed;
}

using Pooled = Tensor (*)(const Tensor&, const Mask&);
using PooledPacked = Tensor (*)(const Packed&);
void pool_plainly(py::module_& m, const char* name, Pooled padded, PooledPacked of_packed,
                  const char* what) {
  function(
      m, name, "values, mask",
      [=](const Batch& values, const Mask& mask) {
        const Packed* const packed = packed_of(name, values, mask);
        return packed ? of_packed(*packed) : padded(std::get<Tensor>(values), mask);
      },
      what);
}

// [{"width": 64, "encode": lambda x, lengths: ..}, ..]
std::vector<HierarchicalLevel> levels_of(const std::vector<py::dict>& given) {
  std::vector<HierarchicalLevel> out;
  for (const py::dict& level : given) {
    out.push_back(
        options_of("Hierarchical", HierarchicalLevel(), level, FieldsOf<HierarchicalLevel>::all()));
  }
  return out;
}

void bind_pools_of_pictures(py::module_& m) {
  function(
      m, "grid_attention", "score, query, map, real=",
      [](const Score& score, const Tensor& query, const Tensor& map, const Tensor& real,
         const Terms& terms) { return grid_attention(score, query, map, terms, real); },
      "A question [B, dq] or [B, Q, dq] looks at a map [B, C, H, W] (Xu et al. 2015).");
  function(
      m, "box_attention", "score, query, boxes, real=",
      [](const Score& score, const Tensor& query, const Tensor& boxes, const Tensor& real,
         const Terms& terms) { return box_attention(score, query, boxes, terms, real); },
      "A question [B, dq] or [B, Q, dq] looks at boxes [B, K, d] (Lu et al. 2016).");
  function(m, "doubly_stochastic_penalty", "weights, steps=, places=", &doubly_stochastic_penalty,
           "sum_i (1 - sum_t alpha_ti)^2 of weights [B, T, K] -> [B] (Xu et al. 2015).");
}

}  // namespace

void bind_pooling(py::module_& m) {
  pool<AttentionPooling>(m, "A learned query: [B, T, E] -> [B, E] (Yang et al. 2016).")
      .forward(
          "values, mask, need_weights",
          [](const AttentionPooling& f, const Batch& x, const Mask& mask, bool need_weights) {
            const Packed* const packed = packed_of("AttentionPooling", x, mask);
            return packed ? f(*packed, need_weights) : f(std::get<Tensor>(x), mask, need_weights);
          },
          "context, weights of values [B, T, E]; the mask broadcasts to [B, T]. Of a Packed "
          "[N, E]: weights [N].");
  pool_padded<SourceToToken>(m, "A weight a feature (Shen et al. 2018).");
  pool_padded<TokenToToken>(m, "Each step attends to all, a weight a feature (Shen et al. 2018).");
  pool_plainly(m, "average_pooling", &average_pooling, &average_pooling,
               "The mean of the places that may be attended to, [B, T, E] -> [B, E]; of a Packed's "
               "sequences.");
  pool_plainly(m, "max_pooling", &max_pooling, &max_pooling,
               "The maximum, feature by feature, [B, T, E] -> [B, E]; of a Packed's sequences.");
  record<HierarchicalOutput>(m, "context [B, width], and the weights of each level.");
  Mechanism<Hierarchical>(m,
                          "Words to sentences to documents (Yang et al. 2016); levels are dicts "
                          "of width, hidden, encode(x, lengths), encode_packed(packed), "
                          "pool(packed).")
      .made("levels, dtype",
            [](const std::vector<py::dict>& levels, DType dtype) {
              return std::make_shared<Hierarchical>(levels_of(levels), dtype);
            })
      .forward(
          "input, counts, need_weights",
          [](const Hierarchical& f, const Batch& given,
             const std::vector<std::vector<Index>>& counts, bool need_weights) {
            return std::visit([&](const auto& x) { return f(x, counts, need_weights); }, given);
          },
          "input [n, T, in]: all leaf sequences; counts of each level. Of a Packed, which knows "
          "the leaves' lengths: counts of the levels above.");
  function(m, "grouped_rows", "rows, counts", &grouped_rows,
           "[n, E] -> [groups, largest count, E], padded with zeros.");
  bind_pools_of_pictures(m);
}

}  // namespace heed::python
