#include "tally.h"

#include <fmt/format.h>

#include <limits>

#include "../core/error.h"

namespace heed::train {
namespace {

double share(double sum, Index count) {
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<bool> bools(const char* what, const Tensor& x) {
  if (x.defined() && x.dtype() == DType::boolean) return x.array().to_vector<bool>();
  throw DTypeError(fmt::format("tally: {} must be bool, not {}", what, describe(x)));
}

}  // namespace

Tally Tally::of(const Tensor& wrong, const Tensor& real) {
  const std::vector<bool> at_fault = bools("wrong", wrong), counts = bools("real", real);
  if (wrong.rank() == 0 || wrong.shape() != real.shape()) {
    throw ShapeError(fmt::format("tally: wrong {} and real {} must be [B, ..], alike",
                                 describe(wrong), describe(real)));
  }
  Tally out{.answers = wrong.size(0)};
  const std::size_t row =
      out.answers > 0 ? at_fault.size() / static_cast<std::size_t>(out.answers) : 0;
  for (Index b = 0; b < out.answers; ++b) {
    bool failed = false;
    for (std::size_t i = 0; i < row; ++i) {
      const std::size_t at = static_cast<std::size_t>(b) * row + i;
      const bool fault = at_fault[at] && counts[at];
      out.parts += counts[at];
      out.wrong += fault;
      failed = failed || fault;
    }
    out.failed += failed;
  }
  return out;
}

Tally Tally::of(const Tensor& wrong) {
  bools("wrong", wrong);
  return of(wrong, Array::full(wrong.shape(), 1, DType::boolean));
}

void Tally::add(const Tally& more) {
  wrong += more.wrong;
  parts += more.parts;
  failed += more.failed;
  answers += more.answers;
  extra = more.extra;
  extra_sum += more.extra_sum;
}

Figures Tally::figures(const std::string& parts_name, const std::string& answers_name) const {
  Figures out = {{parts_name + " wrong %", share(100 * static_cast<double>(wrong), parts), 3},
                 {answers_name + " wrong %", share(100 * static_cast<double>(failed), answers), 2}};
  if (!extra.empty()) out.push_back({extra, share(extra_sum, answers), 3});
  return out;
}

}  // namespace heed::train
