#include "renamed.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "../autograd/methods.h"
#include "../autograd/ops/shape/join.h"
#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::pretrained {
namespace {

// The new name, or none where it does not begin so.
std::optional<std::string> rename(const std::string& name, const Rename& by) {
  std::string number;
  std::size_t at = 0;
  for (const char c : by.from) {
    if (c == '*') {
      while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0) {
        number += name[at++];
      }
      if (number.empty()) return {};
    } else if (at == name.size() || name[at++] != c) {
      return {};
    }
  }
  if (by.to.empty()) return at == name.size() ? std::optional(std::string()) : std::nullopt;
  std::string out;
  for (const char c : by.to) {
    if (c == '*') {
      out += number;
    } else {
      out += c;
    }
  }
  return out + name.substr(at);
}

Tensor joined(const std::string& name, const std::map<int, Tensor>& parts,
              const std::string& path) {
  std::vector<Tensor> in_order;
  for (const auto& [place, tensor] : parts) {
    if (place != std::ssize(in_order)) {
      throw FormatError(path, 0,
                        fmt::format("part {} of {} is missing", in_order.size(), in_short(name)));
    }
    in_order.push_back(tensor);
  }
  try {
    return cat(in_order, 0);
  } catch (const Error& error) {
    throw FormatError(path, 0,
                      fmt::format("the parts of {} do not fit: {}", in_short(name), error.what()));
  }
}

}  // namespace

nn::NamedTensors renamed(const nn::NamedTensors& entries, const std::vector<Rename>& renames,
                         const std::string& path) {
  nn::NamedTensors out;
  std::map<std::string, std::map<int, Tensor>> parts;
  std::set<std::string> names;
  for (const auto& [name, tensor] : entries) {
    const Rename* by = nullptr;
    std::optional<std::string> found;
    for (std::size_t i = 0; i < renames.size() && !found; ++i) {
      by = &renames[i];
      found = rename(name, *by);
    }
    if (!found) throw FormatError(path, 0, "nobody knows the parameter " + in_quotes(name));
    if (found->empty()) continue;
    const Tensor own = by->transposed && tensor.rank() == 2 ? tensor.t().contiguous() : tensor;
    const bool fresh =
        by->part >= 0 ? parts[*found].emplace(by->part, own).second : names.insert(*found).second;
    if (!fresh) throw FormatError(path, 0, in_quotes(name) + " comes to a name that is taken");
    if (by->part < 0) out.emplace_back(*found, own);
  }
  for (const auto& [name, given] : parts) out.emplace_back(name, joined(name, given, path));
  return out;
}

void load_strictly(nn::Module& model, const nn::NamedTensors& state, const std::string& path) {
  try {
    model.load_state_dict(state);
  } catch (const Error& error) {
    throw FormatError(path, 0, error.what());
  }
}

}  // namespace heed::pretrained
