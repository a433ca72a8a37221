#include "renamed.h"

#include <cctype>
#include <optional>

#include "../core/error.h"

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

}  // namespace

nn::NamedTensors renamed(const nn::NamedTensors& entries, const std::vector<Rename>& renames,
                         const std::string& path) {
  nn::NamedTensors out;
  for (const auto& [name, tensor] : entries) {
    std::optional<std::string> found;
    for (const Rename& by : renames) {
      if (!found) found = rename(name, by);
    }
    if (!found) throw FormatError(path, 0, "nobody knows the parameter " + name);
    if (!found->empty()) out.emplace_back(*found, tensor);
  }
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
