// What PyTorch pickles, and nothing else: numbers, texts, lists, dicts and tensors. A pickle is a
// program; this one runs none: it builds plain values, and refuses by name whatever it asks for
// besides.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elements.h"

namespace heed::io {

/// Small, since an instruction of a byte may be one.
struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    truth,
    integer,
    real,
    text,
    tuple,
    list,
    dict,
    global,
    storage,
    tensor
  };
  using Id = std::uint32_t;

  struct Rare {
    std::string text = {};
    std::vector<std::int64_t> sizes = {}, steps = {};
  };

  Kind kind = Kind::none;
  Element element = Element::f32;  ///< of a storage
  /// Also of a truth; of a storage how many elements, of a tensor its first; of a real its bits.
  std::int64_t integer = 0;
  std::vector<Id> items = {};  ///< of a dict a key, its value, ..; of a tensor its storage
  std::unique_ptr<const Rare> rare = {};  ///< null where there is nothing of it

  double real() const { return std::bit_cast<double>(integer); }
  /// Of a global its name, of a storage its key.
  const std::string& text() const { return rare_or_nothing().text; }
  /// Of a tensor.
  const std::vector<std::int64_t>& sizes() const { return rare_or_nothing().sizes; }
  const std::vector<std::int64_t>& steps() const { return rare_or_nothing().steps; }
  const Rare& rare_or_nothing() const {
    static const Rare kNothing;
    return rare ? *rare : kNothing;
  }
};

/// Values by their numbers: one may be in several others, and within itself. None, truths, small
/// integers and the tuple of nothing are there once.
struct Pickle {
  std::vector<PickleValue> values;
  PickleValue::Id root = 0;
  const PickleValue& operator[](PickleValue::Id id) const { return values[id]; }
};

/// Protocols 2 to 5, as far as torch.save() uses them. Throws FormatError in `path`'s name, at
/// `offset` and on, for broken pickles and for each global that is no storage, OrderedDict,
/// torch.Size or what rebuilds a tensor. Memory follows the text's size.
Pickle read_pickle(std::string_view text, const std::string& path, std::uint64_t offset = 0);

}  // namespace heed::io
