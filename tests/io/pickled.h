// Instructions of pickles, as torch.save() writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::pickled {

inline std::string text(const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return "X" + std::string(reinterpret_cast<const char*>(&size), 4) + text;
}
inline std::string integer(int number) {
  return number < 256 ? "K" + std::string(1, static_cast<char>(number))
                      : "J" + std::string(reinterpret_cast<const char*>(&number), 4);
}
inline std::string tuple(const std::vector<std::string>& items) {
  std::string out = "(";
  for (const std::string& item : items) out += item;
  return out + "t";
}
inline std::string integers(const std::vector<int>& numbers) {
  std::vector<std::string> items;
  for (const int number : numbers) items.push_back(integer(number));
  return tuple(items);
}
inline const std::string kOrdered = "ccollections\nOrderedDict\n)R", kFalse = "\x89";

inline std::string storage(const std::string& kind, const std::string& key, int count) {
  return tuple({text("storage"), "ctorch\n" + kind + "Storage\n", text(key), text("cpu"),
                integer(count)}) +
         "Q";
}
inline std::string tensor(const std::string& storage, int offset, const std::vector<int>& sizes,
                          const std::vector<int>& steps) {
  return "ctorch._utils\n_rebuild_tensor_v2\n" +
         tuple({storage, integer(offset), integers(sizes), integers(steps), kFalse, kOrdered}) +
         "R";
}
inline std::string pickle(const std::string& value) { return "\x80\2" + value + "."; }

}  // namespace heed::pickled
