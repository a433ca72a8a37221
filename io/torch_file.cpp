#include "torch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "../core/error.h"
#include "../core/quoted.h"
#include "file.h"
#include "pickle.h"
#include "zip.h"

namespace heed::io {
namespace {

using Kind = PickleValue::Kind;

class Reader {
 public:
  Reader(const std::string& bytes, const std::string& path)
      : path_(path), zip_(bytes, path), budget_(bytes.size()) {}

  TorchFile read() {
    const ZipMember* pickled = nullptr;
    for (const ZipMember& member : zip_.members()) {
      if (member.name != "data.pkl" && !member.name.ends_with("/data.pkl")) continue;
      if (pickled != nullptr) fail("two pickles");
      pickled = &member;
    }
    if (pickled == nullptr) fail("has no data.pkl: not of torch.save()");
    folder_ = pickled->name.substr(0, pickled->name.size() - std::string("data.pkl").size());
    const ZipMember* const order = zip_.find(folder_ + "byteorder");
    if (order != nullptr && zip_.read(*order) != "little")
      fail("its numbers are not little endian");
    pickle_ = read_pickle(zip_.read(*pickled), path_, pickled->begin);
    walk();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(path_, 0, "torch: " + what);
  }

  struct Place {
    PickleValue::Id id;
    std::string name;
  };

  // What is held in several places is there in each. What holds itself would have names without an
  // end.
  void walk() {
    std::size_t named = 0;  // bytes of all names, each with an end: a key may be empty
    for (std::vector<Place> todo{{pickle_.root, ""}}; !todo.empty();) {
      const Place here = std::move(todo.back());
      todo.pop_back();
      const PickleValue& value = pickle_[here.id];
      if (value.kind != Kind::dict && value.kind != Kind::list && value.kind != Kind::tuple) {
        put(here.name, value);
        continue;
      }
      const std::size_t step = value.kind == Kind::dict ? 2 : 1, before = todo.size();
      for (std::size_t i = 0; i + step <= value.items.size(); i += step) {
        const std::string own =
            step == 2 ? key(here.name, pickle_[value.items[i]]) : fmt::format("{}", i);
        todo.push_back(
            {value.items[i + step - 1], here.name.empty() ? own : here.name + "." + own});
        named += todo.back().name.size() + 1;
        if (named > 64 * budget_) fail("holds itself, or has names far longer than the file");
      }
      std::reverse(todo.begin() + static_cast<std::ptrdiff_t>(before), todo.end());
    }
  }

  std::string key(const std::string& in, const PickleValue& value) const {
    if (value.kind == Kind::text) return value.text();
    if (value.kind == Kind::integer) return fmt::format("{}", value.integer);
    fail(in_quotes(in) + " has a key that is neither text nor integer");
  }

  void put(const std::string& name, const PickleValue& value) {
    if (value.kind == Kind::none) return;
    if (!names_.insert(name).second) fail(in_quotes(name) + " is there twice");
    switch (value.kind) {
      case Kind::truth: out_.values.emplace(name, value.integer != 0); break;
      case Kind::integer: out_.values.emplace(name, value.integer); break;
      case Kind::real: out_.values.emplace(name, value.real()); break;
      case Kind::text: out_.values.emplace(name, value.text()); break;
      case Kind::tensor: out_.arrays.emplace_back(name, tensor(name, value)); break;
      default: fail(in_quotes(name) + " is neither a tensor nor a number nor a text");
    }
  }

  const Array& storage(const PickleValue& value) {
    const auto known = storages_.find(value.text());
    if (known != storages_.end()) {
      if (known->second.first != value.element) fail(in_quotes(value.text()) + " has two dtypes");
      return known->second.second;
    }
    const ZipMember* const member = zip_.find(folder_ + "data/" + value.text());
    if (member == nullptr) fail("the storage " + in_quotes(value.text()) + " is missing");
    if (member->unpacked % bytes_of(value.element) != 0 ||
        member->unpacked / bytes_of(value.element) != static_cast<std::uint64_t>(value.integer)) {
      fail(fmt::format("the storage {} has {} bytes for {} of {}", in_quotes(value.text()),
                       member->unpacked, value.integer, name(value.element)));
    }
    Array numbers = decode_elements(value.element, Shape{value.integer}, zip_.read(*member),
                                    {path_, member->begin, "storage " + in_quotes(value.text())});
    return storages_.emplace(value.text(), std::pair(value.element, std::move(numbers)))
        .first->second.second;
  }

  Array tensor(const std::string& name, const PickleValue& value) {
    const PickleValue& held = pickle_[value.items[0]];
    const Array& numbers = storage(held);
    if (value.sizes().size() != value.steps().size()) {
      fail(fmt::format("{} has {} axes and {} strides", in_quotes(name), value.sizes().size(),
                       value.steps().size()));
    }
    Shape shape;
    Strides steps;
    Index count = 1, last = value.integer;  // the place of the last element
    bool beyond = last < 0 || last > held.integer;
    const auto add = [&](Index size, Index step) {
      Index reach = 0;
      beyond = beyond || size < 0 || step < 0 || __builtin_mul_overflow(count, size, &count) ||
               __builtin_mul_overflow(std::max<Index>(size - 1, 0), step, &reach) ||
               __builtin_add_overflow(last, reach, &last);
    };
    for (std::size_t axis = 0; axis < value.sizes().size(); ++axis) {
      add(value.sizes()[axis], value.steps()[axis]);
      shape.push_back(value.sizes()[axis]);
      steps.push_back(value.steps()[axis]);
    }
    if (beyond || count > held.integer || (count > 0 && last >= held.integer)) {
      fail(fmt::format("{} goes beyond its storage of {}", in_quotes(name), held.integer));
    }
    if (count == 0) return Array::empty(shape, numbers.dtype());
    const Array rest = numbers.slice(0, value.integer, held.integer);
    Array view = rest.as_strided(shape, steps);
    if (view.is_contiguous()) return view;
    const auto cost = static_cast<std::uint64_t>(count);
    if (cost > 16 * budget_ - std::min(copied_, 16 * budget_)) {
      fail("tensors out of order that are far larger than the file");
    }
    copied_ += cost;
    return view.contiguous();
  }

  const std::string& path_;
  ZipReader zip_;
  std::uint64_t budget_, copied_ = 0;
  std::string folder_;
  Pickle pickle_;
  std::map<std::string, std::pair<Element, Array>> storages_;
  std::set<std::string> names_;
  TorchFile out_;
};

}  // namespace

NamedArrays TorchFile::under(const std::string& prefix) const {
  NamedArrays out;
  for (const auto& [name, array] : arrays) {
    if (name.starts_with(prefix)) out.emplace_back(name.substr(prefix.size()), array);
  }
  return out;
}

TorchFile read_torch(const std::string& path) {
  const std::string bytes = read_file(path);
  if (!bytes.starts_with("PK")) {
    throw FormatError(path, 0, "torch: no zip: save it again with PyTorch 1.6 or later");
  }
  return Reader(bytes, path).read();
}

}  // namespace heed::io
