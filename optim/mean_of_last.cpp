#include "mean_of_last.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../core/error.h"
#include "../core/faults.h"
#include "../core/quoted.h"
#include "check_averaged.h"

namespace heed::optim {
namespace {

void check_fits(const Tensor& parameter, const char* what, const Array& numbers) {
  const auto text = [&] {
    return fmt::format("MeanOfLast.swap: a parameter became {}, its {} {}", describe(parameter),
                       what, describe(numbers));
  };
  if (!(numbers.shape() == parameter.shape())) throw ShapeError(text());
  if (numbers.dtype() != parameter.dtype()) throw DTypeError(text());
}

}  // namespace

MeanOfLast::MeanOfLast(const std::vector<Tensor>& parameters, Index count)
    : parameters_(parameters), count_(static_cast<std::size_t>(count)) {
  if (count <= 0) throw ValueError(fmt::format("MeanOfLast: count {} must be positive", count));
  check_averaged("MeanOfLast", parameters);
}

void MeanOfLast::take() {
  if (!own_.empty()) throw GradError("MeanOfLast.take: the mean is swapped in");
  Moment now;
  for (const Tensor& parameter : parameters_) now.push_back(parameter.array().clone());
  taken_.push_back(std::move(now));
  if (taken_.size() > count_) taken_.erase(taken_.begin());
}

void MeanOfLast::write(const Moment& numbers) {
  const NoGrad scope;
  for (std::size_t i = 0; i < numbers.size(); ++i) parameters_[i].copy_from(Tensor(numbers[i]));
}

void MeanOfLast::swap() {  // NOLINT(bugprone-exception-escape)
  if (!own_.empty()) {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      check_fits(parameters_[i], "own numbers are", own_[i]);
    }
    write(own_);
    own_.clear();
    return;
  }
  if (taken_.size() < 2) return;
  const NoGrad scope;
  Moment own, means;  // what can fail comes before the first write
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    check_fits(parameters_[i], "mean is", taken_[0][i]);
    own.push_back(parameters_[i].array().clone());
    Tensor mean(taken_[0][i]);
    for (std::size_t k = 1; k < taken_.size(); ++k) mean = mean + Tensor(taken_[k][i]);
    means.push_back((mean / static_cast<double>(taken_.size())).array());
  }
  write(means);
  own_ = std::move(own);
}

NamedArrays MeanOfLast::state_dict() const {
  if (!own_.empty()) throw GradError("MeanOfLast.state_dict: the mean is swapped in");
  NamedArrays out;
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    for (std::size_t i = 0; i < taken_[k].size(); ++i) {
      out.emplace_back(fmt::format("{}.{}", k, i), taken_[k][i]);
    }
  }
  return out;
}

void MeanOfLast::load_state_dict(const NamedArrays& entries) {
  if (!own_.empty()) throw GradError("MeanOfLast.load_state_dict: the mean is swapped in");
  const std::size_t n = parameters_.size();
  Faults faults;
  if (entries.size() % n != 0 || entries.size() / n > count_) {
    faults.add(fmt::format("{} entries for {} parameters, taken at most {} times", entries.size(),
                           n, count_));
  }
  const std::size_t count = faults.empty() ? entries.size() : 0;
  std::vector<Moment> found(count / n);
  for (std::size_t e = 0; e < count; ++e) {
    const std::string name = fmt::format("{}.{}", e / n, e % n);
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& each) { return each.first == name; });
    const Tensor& parameter = parameters_[e % n];
    if (entry == entries.end()) {
      faults.add(fmt::format("{} is missing", in_quotes(name)));
    } else if (!entry->second.defined() || !(entry->second.shape() == parameter.shape()) ||
               entry->second.dtype() != parameter.dtype()) {
      faults.add(fmt::format("{} is {}, not {}", in_quotes(name), describe(entry->second),
                             describe(parameter)));
    } else {
      found[e / n].push_back(entry->second.clone());
    }
  }
  if (!faults.empty()) throw ValueError("MeanOfLast: the entries do not fit: " + faults.text());
  taken_ = std::move(found);
}

}  // namespace heed::optim
