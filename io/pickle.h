// What PyTorch pickles, and nothing else: numbers, texts, lists, dicts and tensors. A pickle is a
// program; this one runs none: it builds plain values, and refuses by name whatever it asks for
// besides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "elements.h"

namespace heed::io {

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

  Kind kind = Kind::none;
  std::int64_t integer =
      0;  ///< also of a truth; of a storage how many elements, of a tensor its first
  double real = 0;
  std::string text = {};           ///< of a global its name, of a storage its key
  std::vector<Id> items = {};      ///< of a dict a key, its value, ..; of a tensor its storage
  Element element = Element::f32;  ///< of a storage
  std::vector<std::int64_t> sizes = {}, steps = {};  ///< of a tensor
};

/// Values by their numbers: one may be in several others, and within itself.
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
