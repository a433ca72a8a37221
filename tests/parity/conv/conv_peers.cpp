#include "../../../autograd/ops/conv/conv.h"
#include "../../../autograd/ops/conv/conv3d.h"
#include "../parity.h"

namespace heed::parity {
namespace {

namespace F = torch::nn::functional;

struct Form1d {
  std::vector<Index> x, weight;
  Conv1dOptions options = {};
};

Peer conv1d_peer(const Form1d& form) {
  const Conv1dOptions& o = form.options;
  return peer(
      "conv1d", {form.x, form.weight, {form.weight[0]}},
      [o](H x) { return conv1d(x[0], x[1], x[2], o); },
      [o](T x) {
        auto options = F::Conv1dFuncOptions().bias(x[2]).stride(o.stride).dilation(o.dilation);
        options.groups(o.groups);
        if (o.same) {
          options.padding(torch::kSame);
        } else {
          options.padding(o.padding);
        }
        return F::conv1d(x[0], x[1], options);
      });
}

struct Form2d {
  std::vector<Index> x, weight, out;
  Conv2dOptions options = {};
};

Peer conv2d_peer(const Form2d& form) {
  const Conv2dOptions& o = form.options;
  return peer(
      "conv2d", {form.x, form.weight, {form.weight[0]}},
      [o](H x) { return conv2d(x[0], x[1], x[2], o); },
      [o](T x) {
        auto options = F::Conv2dFuncOptions().bias(x[2]).stride(sizes(o.stride)).groups(o.groups);
        options.dilation(sizes(o.dilation));
        if (o.same) {
          options.padding(torch::kSame);
        } else {
          options.padding(sizes(o.padding));
        }
        return F::conv2d(x[0], x[1], options);
      });
}

struct Form3d {
  std::vector<Index> x, weight;
  Conv3dOptions options = {};
};

Peer conv3d_peer(const Form3d& form) {
  const Conv3dOptions& o = form.options;
  return peer(
      "conv3d", {form.x, form.weight, {form.weight[0]}},
      [o](H x) { return conv3d(x[0], x[1], x[2], o); },
      [o](T x) {
        const auto sizes = [](Triple t) { return std::vector<std::int64_t>{t.z, t.y, t.x}; };
        auto options = F::Conv3dFuncOptions().bias(x[2]).stride(sizes(o.stride)).groups(o.groups);
        options.dilation(sizes(o.dilation));
        if (o.same) {
          options.padding(torch::kSame);
        } else {
          options.padding(sizes(o.padding));
        }
        return F::conv3d(x[0], x[1], options);
      });
}

// The gradient of one of conv2d's operands, as a function of what it is computed from.
torch::Tensor backward(const torch::Tensor& g, const torch::Tensor& x, const torch::Tensor& weight,
                       const Conv2dOptions& o, bool of_x) {
  const auto all =
      torch::convolution_backward(g, x, weight, c10::nullopt, sizes(o.stride), sizes(o.padding),
                                  sizes(o.dilation), false, {0, 0}, o.groups, {of_x, !of_x, false});
  return of_x ? std::get<0>(all) : std::get<1>(all);
}

Peer input_grad_peer(const Form2d& form) {
  return peer(
      "conv2d_input_grad", {form.weight, form.out},
      [form](H x) { return conv2d_input_grad(Shape(form.x), x[0], x[1], form.options); },
      [form](T x) {
        return backward(x[1], torch::zeros(form.x, x[0].options()), x[0], form.options, true);
      });
}

Peer weight_grad_peer(const Form2d& form) {
  return peer(
      "conv2d_weight_grad", {form.x, form.out},
      [form](H x) { return conv2d_weight_grad(x[0], Shape(form.weight), x[1], form.options); },
      [form](T x) {
        return backward(x[1], x[0], torch::zeros(form.weight, x[0].options()), form.options, false);
      });
}

}  // namespace

std::vector<Peer> conv_peers() {
  std::vector<Peer> peers = {
      conv1d_peer({{2, 3, 7}, {5, 3, 3}}),
      conv1d_peer({{3, 7}, {2, 3, 2}}),
      conv1d_peer({{2, 4, 11}, {6, 2, 3}, {.stride = 2, .padding = 3, .dilation = 2, .groups = 2}}),
      conv1d_peer({{2, 3, 7}, {2, 3, 4}, {.dilation = 2, .same = true}}),
      conv2d_peer({{3, 5, 4}, {2, 3, 3, 2}, {}}),
      conv2d_peer({{2, 3, 5, 7}, {2, 3, 3, 2}, {}, {.dilation = {1, 2}, .same = true}}),
      conv3d_peer({{3, 5, 4, 2}, {2, 3, 3, 2, 2}}),
      conv3d_peer(
          {{2, 4, 5, 3, 7},
           {6, 2, 2, 3, 2},
           {.stride = {2, 1, 3}, .padding = {1, 2, 0}, .dilation = {2, 1, 1}, .groups = 2}}),
      conv3d_peer({{2, 3, 2, 5, 3}, {2, 3, 2, 3, 1}, {.same = true}}),
  };
  const std::vector<Form2d> forms = {
      {{2, 3, 5, 7}, {5, 3, 3, 2}, {2, 5, 3, 6}},
      {{2, 3, 5, 7}, {2, 3, 3, 2}, {2, 2, 3, 4}, {.stride = {2, 3}, .padding = {1, 2}}},
      {{1, 2, 7, 5}, {2, 2, 2, 3}, {1, 2, 4, 3}, {.padding = {0, 1}, .dilation = {3, 2}}},
      {{2, 4, 3, 3}, {6, 2, 2, 2}, {2, 6, 4, 4}, {.padding = 1, .groups = 2}},
      {{2, 3, 5, 5}, {3, 1, 3, 3}, {2, 3, 5, 5}, {.padding = 1, .groups = 3}},  // a channel each
  };
  for (const Form2d& form : forms) {
    peers.push_back(conv2d_peer(form));
    peers.push_back(input_grad_peer(form));
    peers.push_back(weight_grad_peer(form));
  }
  return peers;
}

}  // namespace heed::parity
