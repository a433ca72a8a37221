#include "../../../autograd/ops/conv/pool.h"
#include "../parity.h"

namespace heed::parity {
namespace {

Peer max1d(const std::vector<Index>& shape, const MaxPool1dOptions& o,
           Domain domain = Domain::any) {
  return peer(
      "max_pool1d", {shape}, [o](H x) { return max_pool1d(x[0], o); },
      [o](T x) {
        return torch::max_pool1d(x[0], o.kernel, o.stride.value_or(o.kernel), o.padding, o.dilation,
                                 o.ceil_mode);
      },
      domain);
}

Peer avg1d(const std::vector<Index>& shape, const AvgPool1dOptions& o) {
  return peer(
      "avg_pool1d", {shape}, [o](H x) { return avg_pool1d(x[0], o); },
      [o](T x) {
        return torch::avg_pool1d(x[0], o.kernel, o.stride.value_or(o.kernel), o.padding,
                                 o.ceil_mode, o.count_include_pad);
      });
}

Peer max2d(const std::vector<Index>& shape, const MaxPool2dOptions& o,
           Domain domain = Domain::any) {
  return peer(
      "max_pool2d", {shape}, [o](H x) { return max_pool2d(x[0], o); },
      [o](T x) {
        return torch::max_pool2d(x[0], sizes(o.kernel), sizes(o.stride.value_or(o.kernel)),
                                 sizes(o.padding), sizes(o.dilation), o.ceil_mode);
      },
      domain);
}

Peer max2d_indices(const std::vector<Index>& shape, const MaxPool2dOptions& o) {
  return peer(
      "max_pool2d", {shape}, [o](H x) { return max_pool2d_with_indices(x[0], o).indices; },
      [o](T x) {
        return std::get<1>(torch::max_pool2d_with_indices(
            x[0], sizes(o.kernel), sizes(o.stride.value_or(o.kernel)), sizes(o.padding),
            sizes(o.dilation), o.ceil_mode));
      });
}

Peer avg2d(const std::vector<Index>& shape, const AvgPool2dOptions& o) {
  return peer(
      "avg_pool2d", {shape}, [o](H x) { return avg_pool2d(x[0], o); },
      [o](T x) {
        return torch::avg_pool2d(x[0], sizes(o.kernel), sizes(o.stride.value_or(o.kernel)),
                                 sizes(o.padding), o.ceil_mode, o.count_include_pad);
      });
}

Peer adaptive1d(const std::vector<Index>& shape, Index out) {
  return peer(
      "adaptive_avg_pool1d", {shape}, [out](H x) { return adaptive_avg_pool1d(x[0], out); },
      [out](T x) { return torch::adaptive_avg_pool1d(x[0], out); });
}

Peer adaptive2d(const std::vector<Index>& shape, PerAxis out) {
  return peer(
      "adaptive_avg_pool2d", {shape}, [out](H x) { return adaptive_avg_pool2d(x[0], out); },
      [out](T x) { return torch::adaptive_avg_pool2d(x[0], sizes(out)); });
}

}  // namespace

std::vector<Peer> pool_peers() {
  return {
      max1d({2, 3, 7}, {.kernel = 2}),
      max1d({3, 7}, {.kernel = 3, .stride = 2, .padding = 1}),
      max1d({2, 2, 11}, {.kernel = 3, .stride = 1, .dilation = 2}),
      max1d({2, 2, 6}, {.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}),
      max1d({3, 17}, {.kernel = 3, .stride = 2, .padding = 1}, Domain::whole),
      avg1d({2, 3, 7}, {.kernel = 2}),
      avg1d({3, 7}, {.kernel = 3, .stride = 2, .padding = 1}),
      avg1d({2, 2, 6}, {.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}),
      avg1d({2, 2, 6}, {.kernel = 3, .stride = 2, .padding = 1, .count_include_pad = false}),
      max2d({2, 3, 4, 6}, {.kernel = 2}),
      max2d({2, 5, 7}, {.kernel = {3, 2}, .stride = {{2, 1}}, .padding = {1, 1}}),
      max2d({1, 2, 7, 7}, {.kernel = {2, 3}, .stride = 1, .dilation = {3, 2}}),
      max2d({1, 2, 5, 6}, {.kernel = 2, .stride = {{3, 4}}, .ceil_mode = true}),
      max2d({2, 7, 11}, {.kernel = 3, .stride = 2, .padding = 1}, Domain::whole),
      peer(  // values only: among NaN the gradients are not the same, see pool.h
          "max_pool2d", {{2, 7, 11}},
          [](H x) { return max_pool2d(x[0].detach(), {.kernel = 3, .stride = 2, .padding = 1}); },
          [](T x) { return torch::max_pool2d(x[0].detach(), 3, 2, 1); }, Domain::special),
      max2d_indices({2, 2, 5, 7}, {.kernel = 3, .stride = 2, .padding = 1}),
      avg2d({2, 3, 4, 6}, {.kernel = 2}),
      avg2d({2, 5, 7}, {.kernel = {3, 2}, .stride = {{2, 1}}, .padding = {1, 1}}),
      avg2d({1, 2, 5, 6}, {.kernel = 2, .stride = {{3, 4}}, .ceil_mode = true}),
      avg2d(
          {1, 2, 6, 4},
          {.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false}),
      adaptive1d({2, 3, 7}, 3),
      adaptive1d({3, 5}, 7),
      adaptive2d({2, 3, 6, 4}, {3, 2}),
      adaptive2d({3, 5, 7}, {3, 11}),
  };
}

}  // namespace heed::parity
