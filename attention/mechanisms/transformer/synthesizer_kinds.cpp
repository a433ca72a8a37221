#include "synthesizer_kinds.h"

#include <algorithm>
#include <cstring>

#include "../../../core/error.h"

namespace heed::attention {
namespace {

constexpr const char* kPrefix = "synthesizer-";

std::string flag_of(SynthesizerKind kind) {
  std::string out = name(kind);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

SynthesizerKind kind_of(const std::string& flag) {
  for (const auto kind : {SynthesizerKind::dense, SynthesizerKind::random,
                          SynthesizerKind::fixed_random, SynthesizerKind::factorised_dense,
                          SynthesizerKind::factorised_random, SynthesizerKind::dot_product}) {
    if (flag == flag_of(kind)) return kind;
  }
  throw ValueError("attention: '" + flag +
                   "' is none of dense, random, fixed-random, factorised-dense, "
                   "factorised-random, dot-product");
}

}  // namespace

SynthesizerKinds synthesizer_kinds(const std::string& name) {
  if (name == "dot") return {};
  if (!name.starts_with(kPrefix)) {
    throw ValueError("attention: '" + name + "' is neither dot nor synthesizer-KIND[+KIND..]");
  }
  SynthesizerKinds out;
  for (std::size_t begin = std::strlen(kPrefix); begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    out.push_back(kind_of(name.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::string name(const SynthesizerKinds& kinds) {
  if (kinds.empty()) return "dot";
  std::string out;
  for (const SynthesizerKind kind : kinds) {
    out += out.empty() ? kPrefix : "+";
    out += flag_of(kind);
  }
  return out;
}

}  // namespace heed::attention
