#include "signature.h"

#include <algorithm>
#include <iterator>

namespace heed::python {
namespace {

// What PyTorch calls an option otherwise; empty for others.
std::string our_word(const std::string& theirs) {
  const std::pair<const char*, const char*> words[] = {
      {"embed_dim", "width"},  {"d_model", "width"},          {"num_heads", "heads"},
      {"nhead", "heads"},      {"dim_feedforward", "hidden"}, {"kdim", "key_width"},
      {"vdim", "value_width"}, {"norm_first", "pre_norm"},    {"layer_norm_eps", "eps"},
      {"num_layers", "layers"}};
  for (const auto& [word, ours] : words) {
    if (theirs == word) return ours;
  }
  return "";
}

}  // namespace

void Parameters::add(std::ptrdiff_t offset, const ParameterType& type, std::string_view& names) {
  const std::string_view spec = names.substr(0, names.find(", "));
  names.remove_prefix(std::min(names.size(), spec.size() + 2));
  const std::size_t equals = spec.find('=');
  const std::string text(equals == spec.npos ? "" : spec.substr(equals + 1));
  const py::object first =
      text.empty() ? type.first() : py::module_::import("ast").attr("literal_eval")(text);
  const bool lacks = equals != spec.npos || type.lacks;
  const std::string shown = first ? py::repr(first) : py::str("None");
  places_.push_back({std::string(spec.substr(0, equals)), !lacks, offset, type.set, type.type,
                     [shown] { return shown; }, first});
  if (!type.by_name && positional_ + 1 == places_.size()) ++positional_;
}

void Parameters::add(std::ptrdiff_t offset, const Fields& fields, std::size_t without_names) {
  for (const Field& f : fields) {
    places_.push_back({f.name, false, offset, f.set, f.type, f.first});
    if (places_.size() <= without_names) ++positional_;
  }
}

void Parameters::add_finish(std::ptrdiff_t offset, void (*finish)(void*, const py::dict&)) {
  finish_.push_back({offset, finish});
}

void Parameters::close() {
  const auto needed = [](const Place& place) { return place.needed; };
  const auto end = places_.begin() + static_cast<std::ptrdiff_t>(positional_);
  const auto last = std::find_if(std::make_reverse_iterator(end), places_.rend(), needed);
  for (auto place = places_.begin(); place != last.base(); ++place) place->needed = true;
}

void Parameters::read_into(void* values, const py::args& args, const py::kwargs& kwargs) const {
  auto* const block = static_cast<char*>(values);
  for (const Place& place : places_) {
    if (place.first) place.set(block + place.offset, place.first);
  }
  std::vector<bool> given(places_.size());
  if (args.size() > positional_) {
    throw py::type_error(who_ + "() takes " + std::to_string(positional_) +
                         " arguments without a name, not " + std::to_string(args.size()));
  }
  py::dict rest;
  for (std::size_t i = 0; i < args.size(); ++i) put(i, args[i], values, given);
  for (const auto& [key, value] : kwargs) {
    const auto name = py::cast<std::string>(key);
    const auto found = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& place) { return place.name == name; });
    if (found != places_.end()) {
      put(static_cast<std::size_t>(found - places_.begin()), value, values, given);
    } else {
      rest[key] = value;
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!given[i] && places_[i].needed) {
      throw py::type_error(who_ + "() misses '" + places_[i].name + "'");
    }
  }
  for (const Finish& finish : finish_) finish.finish(block + finish.offset, kwargs);
  if (terms_) {
    reinterpret_cast<Taken<const attention::Terms&>*>(block + *terms_)->value = terms_of(rest);
  } else if (!rest.empty()) {
    const auto name = py::cast<std::string>(rest.begin()->first);
    const std::string ours = our_word(name);
    std::string known;
    for (const Place& place : places_) {
      if (place.name == ours) {
        throw py::type_error(who_ + "() has no option '" + name + "': here it is " + ours);
      }
      known += (known.empty() ? "" : ", ") + place.name;
    }
    throw py::type_error(who_ + "() has no option '" + name + "', but " + known);
  }
}

std::string Parameters::text() const {
  std::string out;
  const auto comma = [&] { return out.empty() ? "" : ", "; };
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (i == positional_) out += std::string(comma()) + "*";
    const Place& place = places_[i];
    out += comma() + place.name + ": " + place.type() + (place.needed ? "" : " = " + place.shown());
  }
  return out + (terms_ ? std::string(comma()) + "**kwargs" : "");
}

void Parameters::put(std::size_t at, const py::handle& value, void* values,
                     std::vector<bool>& given) const {
  const Place& place = places_[at];
  if (given[at]) throw py::type_error(who_ + "() is given '" + place.name + "' twice");
  given[at] = true;
  try {
    place.set(static_cast<char*>(values) + place.offset, value);
  } catch (const py::cast_error&) {
    refuse(who_, place.name, value);
  }
}

}  // namespace heed::python
