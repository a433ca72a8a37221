#include "step.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::onnx {

bool Step::has(std::size_t input) const {
  return input < first().inputs.size() && first().inputs[input] >= 0;
}

std::string Step::in(std::size_t input) const {
  return has(input) ? to.value(first().inputs[input]) : std::string();
}

Index Step::operand_id(const char* name) const {
  for (const auto& [said, id] : first().operands) {
    if (said == name) return id;
  }
  return -1;
}

std::string Step::operand(const char* name) const {
  const Index id = operand_id(name);
  return id < 0 ? std::string() : to.value(id);
}

const Array& Step::array(std::size_t input, std::size_t pass) const {
  return to.traced(to.traces()[pass].calls[call_].inputs[input], pass).array;
}

const Array& Step::result(std::size_t output, std::size_t pass) const {
  Index id = to.traces()[pass].calls[call_].outputs[output];
  if (id < 0) throw IndexError("onnx: a result that nobody reads");
  return to.traced(id, pass).array;
}

const Said::Value& Step::said(const char* name, std::size_t pass) const {
  const auto& all = to.traces()[pass].calls[call_].said;
  const auto found = all.find(name);
  if (found == all.end()) to.refuse(fmt::format("it does not say its {}", name));
  return found->second;
}

std::vector<Index> Step::passes(const char* name) const {
  std::vector<Index> out;
  for (std::size_t pass = 0; pass < to.passes(); ++pass) {
    out.push_back(std::get<Index>(said(name, pass)));
  }
  return out;
}

Index Step::number(const char* name) const {
  const auto all = passes(name);
  for (const Index one : all) {
    if (one == all[0]) continue;
    to.refuse(fmt::format("its {} is {} at one size and {} at another", name, all[0], one));
  }
  return all[0];
}

double Step::real(const char* name) const {
  for (std::size_t pass = 0; pass < to.passes(); ++pass) {
    if (std::get<double>(said(name, pass)) == std::get<double>(said(name, 0))) continue;
    to.refuse(fmt::format("its {} follows the sizes", name));
  }
  return std::get<double>(said(name, 0));
}

std::vector<Index> Step::numbers(const char* name) const {
  const auto& first_of = std::get<std::vector<Index>>(said(name, 0));
  for (std::size_t pass = 1; pass < to.passes(); ++pass) {
    if (std::get<std::vector<Index>>(said(name, pass)) == first_of) continue;
    to.refuse(fmt::format("its {} follow the sizes", name));
  }
  return first_of;
}

Index Step::axis(const char* name, Index rank_in) const {
  const Index place = number(name);
  return place < 0 ? place + (rank_in < 0 ? rank() : rank_in) : place;
}

std::vector<Index> Step::passes_of(const char* name, std::size_t pass) const {
  return std::get<std::vector<Index>>(said(name, pass));
}

std::vector<Index> Step::sizes(std::size_t input, Index axis) const {
  std::vector<Index> out;
  for (std::size_t pass = 0; pass < to.passes(); ++pass) {
    out.push_back(array(input, pass).size(axis));
  }
  return out;
}

std::vector<Index> Step::result_sizes(Index axis, std::size_t output) const {
  std::vector<Index> out;
  for (std::size_t pass = 0; pass < to.passes(); ++pass) {
    out.push_back(result(output, pass).size(axis));
  }
  return out;
}

void Step::out(const std::string& name, std::size_t output) const {
  const Index id = first().outputs[output];
  if (id >= 0) to.set_value(id, name);
}

}  // namespace heed::onnx
