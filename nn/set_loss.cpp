#include "set_loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/check_defined.h"
#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/index/index.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/normalise/softmax.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"
#include "../core/kernels/index/index.h"
#include "boxes.h"

namespace heed::nn {
namespace {

void check(const Tensor& logits, const Tensor& boxes, const std::vector<Things>& things) {
  check_defined("set_loss", logits, "logits", boxes, "boxes");
  check_floating("set_loss", logits.dtype());
  if (logits.rank() != 3 || logits.size(2) < 2) {
    throw ShapeError("set_loss: logits must be [B, N, C + 1], not " + describe(logits));
  }
  const Index B = logits.size(0), N = logits.size(1);
  if (!(boxes.shape() == Shape{B, N, 4}) || boxes.dtype() != logits.dtype()) {
    throw ShapeError(fmt::format("set_loss: boxes must be {}[{}, {}, 4], not {}",
                                 name(logits.dtype()), B, N, describe(boxes)));
  }
  if (static_cast<Index>(things.size()) != B) {
    throw ShapeError(fmt::format("set_loss: the things of {} images for {}", things.size(), B));
  }
  for (const Things& each : things) {
    check_defined("set_loss", each.classes, "classes", each.boxes, "boxes");
    const Index M = each.classes.rank() == 1 ? each.classes.size(0) : -1;
    if (M < 0 || !(each.boxes.shape() == Shape{M, 4}) || each.boxes.dtype() != logits.dtype()) {
      throw ShapeError(
          fmt::format("set_loss: things must be classes [M] and boxes {}[M, 4], not {} "
                      "and {}",
                      name(logits.dtype()), describe(each.classes), describe(each.boxes)));
    }
    kernels::check_ids("set_loss", each.classes.array(), logits.size(2) - 1);
    if (M > N) {
      throw ValueError(fmt::format("set_loss: {} things, but {} predictions", M, N));
    }
  }
}

Tensor ids(const std::vector<Index>& numbers) { return Tensor(Array::from(numbers)); }

}  // namespace

std::vector<Assignment> match_sets(const Tensor& logits, const Tensor& boxes,
                                   const std::vector<Things>& things,
                                   const SetLossOptions& options) {
  check(logits, boxes, things);
  const NoGrad off;
  std::vector<Assignment> out;
  for (std::size_t b = 0; b < things.size(); ++b) {
    const auto image = static_cast<Index>(b);
    const Tensor p = softmax(select(logits, 0, image), -1);       // [N, C + 1]
    const Tensor from = unsqueeze(select(boxes, 0, image), 1);    // [N, 1, 4]
    const Tensor to = unsqueeze(things[b].boxes, 0);              // [1, M, 4]
    const Tensor chance = index_select(p, 1, things[b].classes);  // [N, M]
    const Tensor away = sum(abs(from - to), {2});
    const Tensor overlap = generalized_box_iou(corners_of(from), corners_of(to));
    out.push_back(assign(
        (options.corners * away - options.classes * chance - options.overlap * overlap).array()));
  }
  return out;
}

SetLoss set_loss(const Tensor& logits, const Tensor& boxes, const std::vector<Things>& things,
                 const SetLossOptions& options) {
  SetLoss out;
  out.matches = match_sets(logits, boxes, things, options);
  const Index B = logits.size(0), N = logits.size(1), none = logits.size(2) - 1;
  std::vector<Index> targets(static_cast<std::size_t>(B * N), none), matched;
  std::vector<Tensor> wanted = {zeros({0, 4}, logits.dtype())};
  for (std::size_t b = 0; b < things.size(); ++b) {
    const auto classes = things[b].classes.array().to_vector<std::int64_t>();
    const Assignment& match = out.matches[b];
    for (std::size_t i = 0; i < match.rows.size(); ++i) {
      matched.push_back(static_cast<Index>(b) * N + match.rows[i]);
      targets[static_cast<std::size_t>(matched.back())] =
          classes[static_cast<std::size_t>(match.columns[i])];
    }
    wanted.push_back(index_select(things[b].boxes, 0, ids(match.columns)));
  }
  Array weights = Array::from(std::vector<double>(static_cast<std::size_t>(none + 1), 1.0));
  weights.mutable_data<double>()[none] = options.none;
  out.classes = cross_entropy(reshape(logits, Shape{B * N, none + 1}), ids(targets),
                              {.weight = weights.to(logits.dtype())});
  const Tensor found = index_select(reshape(boxes, Shape{B * N, 4}), 0, ids(matched));
  const Tensor truth = concat(wanted, 0);
  const double count = std::max<double>(1, static_cast<double>(matched.size()));
  out.corners = sum(abs(found - truth)) / count;
  out.overlap = sum(1 - generalized_box_iou(corners_of(found), corners_of(truth))) / count;
  out.total =
      options.classes * out.classes + options.corners * out.corners + options.overlap * out.overlap;
  return out;
}

}  // namespace heed::nn
