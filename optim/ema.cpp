#include "ema.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/faults.h"
#include "../core/kernels/elementwise/copy.h"
#include "../core/parallel.h"
#include "../core/quoted.h"
#include "check_averaged.h"
#include "check_option.h"

namespace heed::optim {

EMA::EMA(const std::vector<Tensor>& parameters, double decay, bool warm_up)
    : parameters_(parameters), decay_(decay), warm_up_(warm_up) {
  check_share("EMA", "decay", decay);
  check_averaged("EMA", parameters);
  for (const Tensor& parameter : parameters) averages_.push_back(parameter.array().clone());
}

void EMA::check_parameters(const char* op) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    const auto text = [&] {
      return fmt::format("{}: a parameter became {}, its average is {}", op, describe(parameter),
                         describe(averages_[i]));
    };
    if (!(parameter.shape() == averages_[i].shape())) throw ShapeError(text());
    if (parameter.dtype() != averages_[i].dtype()) throw DTypeError(text());
  }
}

void EMA::update() {
  if (swapped_) throw GradError("EMA.update: the averages are swapped in");
  check_parameters("EMA.update");
  std::vector<Array> current;  // what can fail comes before the first average moves
  for (const Tensor& parameter : parameters_) current.push_back(parameter.array().contiguous());
  ++updates_;
  double decay = decay_;
  if (warm_up_) {
    decay = std::min(decay, static_cast<double>(updates_) / static_cast<double>(updates_ + 9));
  }
  for (std::size_t i = 0; i < current.size(); ++i) {
    const Array& from = current[i];
    visit_floating("EMA.update", from.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* __restrict p = from.data<T>();
      T* __restrict average = averages_[i].mutable_data<T>();
      const T keep = static_cast<T>(decay), rest = static_cast<T>(1 - decay);
      parallel_for(from.numel(), 16384, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) average[k] = keep * average[k] + rest * p[k];
      });
    });
    averages_[i].bump_version();
  }
}

void EMA::swap() {  // NOLINT(bugprone-exception-escape)
  check_parameters("EMA.swap");
  std::vector<Array> dense;  // what can fail comes before the first exchange
  for (const Tensor& parameter : parameters_) dense.push_back(parameter.array().contiguous());
  for (std::size_t i = 0; i < dense.size(); ++i) {
    Array numbers = parameters_[i].array();
    std::byte* const begin = dense[i].mutable_raw();
    const auto bytes = static_cast<std::size_t>(dense[i].numel()) * size_of(dense[i].dtype());
    std::swap_ranges(begin, begin + bytes, averages_[i].mutable_raw());
    if (!dense[i].shares_storage(numbers)) kernels::copy_into(numbers, dense[i]);
    numbers.bump_version();
    averages_[i].bump_version();
  }
  swapped_ = !swapped_;
}

NamedArrays EMA::state_dict() const {
  if (swapped_) throw GradError("EMA.state_dict: the averages are swapped in");
  NamedArrays out = {{"updates", Array::from(std::vector<std::int64_t>{updates_}, {})}};
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    out.emplace_back(fmt::format("averages.{}", i), averages_[i]);
  }
  return out;
}

void EMA::load_state_dict(const NamedArrays& entries) {
  if (swapped_) throw GradError("EMA.load_state_dict: the averages are swapped in");
  const NamedArrays ours = state_dict();
  Faults faults;
  std::vector<Array> found;
  for (const auto& [name, array] : ours) {
    const auto same = [&name = name](const auto& entry) { return entry.first == name; };
    const auto count = std::count_if(entries.begin(), entries.end(), same);
    if (count != 1) {
      faults.add(fmt::format("{} is {}", in_quotes(name), count == 0 ? "missing" : "named twice"));
      continue;
    }
    found.push_back(std::find_if(entries.begin(), entries.end(), same)->second);
    if (!found.back().defined() || !(found.back().shape() == array.shape()) ||
        found.back().dtype() != array.dtype()) {
      faults.add(fmt::format("{} is {}, not {}", in_quotes(name), describe(found.back()),
                             describe(array)));
    } else if (name == "updates" && found.back().item() < 0) {
      faults.add("\"updates\" is negative");
    }
  }
  for (const auto& entry : entries) {
    const auto same = [&](const auto& known) { return known.first == entry.first; };
    if (std::none_of(ours.begin(), ours.end(), same)) {
      faults.add(fmt::format("{} is unexpected", in_quotes(entry.first)));
    }
  }
  if (!faults.empty()) throw ValueError("EMA: the entries do not fit: " + faults.text());
  for (Array& array : found) array = array.clone();  // all before the first is taken
  updates_ = *found[0].data<std::int64_t>();
  averages_.assign(found.begin() + 1, found.end());
}

}  // namespace heed::optim
