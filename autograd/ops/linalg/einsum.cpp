#include "einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "../../../core/error.h"
#include "../../../core/quoted.h"
#include "../../../core/utf8.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "matmul.h"

namespace heed {
namespace {

// Axes by their names: letters, and one digit for each axis of the ellipsis, '0' the first.
using Names = std::string;

bool holds(const Names& names, char name) { return names.find(name) != Names::npos; }

struct Operand {
  Tensor x;
  Names names;  // one an axis, no two the same once diagonals are taken
};

class Equation {
 public:
  Equation(const std::string& text, const std::vector<Tensor>& xs) : text_(text) {
    std::string letters;
    std::copy_if(text.begin(), text.end(), std::back_inserter(letters),
                 [](char c) { return c != ' '; });
    const std::size_t arrow = letters.find("->");
    std::vector<std::string> terms(1);
    for (const char c : letters.substr(0, arrow)) {
      if (c == ',') {
        terms.emplace_back();
      } else {
        terms.back() += c;
      }
    }
    if (terms.size() != xs.size()) {
      fail<ValueError>(fmt::format("{} terms for {} operands", terms.size(), xs.size()));
    }
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const Index lead = xs[i].rank() - count_letters(terms[i]);
      const bool dots = terms[i].find('.') != std::string::npos;
      if (lead < 0 || (lead > 0 && !dots)) {
        fail<ShapeError>(
            fmt::format("{} does not fit the rank of {}", in_quotes(terms[i]), describe(xs[i])));
      }
      if (dots) widest_ = std::max(widest_, lead);
      leads_.push_back(lead);
    }
    for (std::size_t i = 0; i < xs.size(); ++i) {
      operands.push_back({xs[i], expanded(terms[i], leads_[i])});
    }
    result = arrow == std::string::npos ? implied() : given(letters.substr(arrow + 2));
    if (static_cast<Index>(result.size()) > kMaxRank) {
      fail<ShapeError>(
          fmt::format("the result would have rank {}, above {}", result.size(), kMaxRank));
    }
    read_sizes();
  }

  std::vector<Operand> operands;
  Names result;
  std::map<char, Index> sizes;

  template <class E>
  [[noreturn]] void fail(const std::string& what) const {
    throw E(fmt::format("einsum: {}: {}", in_quotes(text_), what));
  }

 private:
  // Checks a term, and counts what is not its ellipsis.
  Index count_letters(const std::string& term) const {
    const std::size_t dots = term.find("...");
    Index count = 0;
    for (std::size_t i = 0; i < term.size(); ++i) {
      if (dots != std::string::npos && i >= dots && i < dots + 3) continue;
      if (std::isalpha(static_cast<unsigned char>(term[i])) == 0) {
        const std::string character = term.substr(i, decode_utf8(term, i).length);
        fail<ValueError>(
            fmt::format("'{}' is neither a letter nor one ellipsis", one_line(character)));
      }
      ++count;
    }
    return count;
  }

  // The ellipsis replaced by names for its `lead` axes, aligned at the end.
  Names expanded(std::string term, Index lead) const {
    const std::size_t dots = term.find("...");
    if (dots == std::string::npos) return term;
    Names names;
    for (Index i = widest_ - lead; i < widest_; ++i) names += static_cast<char>('0' + i);
    return term.replace(dots, 3, names);
  }

  Names implied() const {
    Names all, once;
    for (const Operand& operand : operands) all += operand.names;
    for (Index i = 0; i < widest_; ++i) once += static_cast<char>('0' + i);
    Names sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (const char name : sorted) {
      if (std::isalpha(static_cast<unsigned char>(name)) != 0 &&
          std::count(all.begin(), all.end(), name) == 1) {
        once += name;
      }
    }
    return once;
  }

  Names given(const std::string& term) const {
    count_letters(term);
    Names names = expanded(term, widest_);
    for (const char name : names) {
      if (std::count(names.begin(), names.end(), name) > 1) {
        fail<ValueError>(fmt::format("the result names '{}' twice", name));
      }
      if (std::none_of(operands.begin(), operands.end(),
                       [name](const Operand& operand) { return holds(operand.names, name); })) {
        fail<ValueError>(fmt::format("no operand has the result's '{}'", name));
      }
    }
    return names;
  }

  void read_sizes() {
    for (const Operand& operand : operands) {
      for (std::size_t axis = 0; axis < operand.names.size(); ++axis) {
        const Index size = operand.x.size(static_cast<Index>(axis));
        const auto [found, fresh] = sizes.try_emplace(operand.names[axis], size);
        if (fresh || found->second == size || size == 1) continue;
        if (found->second != 1) {
          const char name = operand.names[axis];
          fail<ShapeError>(fmt::format("{} is {} here and {} there",
                                       std::isdigit(static_cast<unsigned char>(name)) != 0
                                           ? std::string("an axis of the ellipsis")
                                           : fmt::format("'{}'", name),
                                       found->second, size));
        }
        found->second = size;
      }
    }
  }

  std::string text_;
  std::vector<Index> leads_;  // axes of each operand's ellipsis
  Index widest_ = 0;
};

// A letter twice in one operand is its diagonal.
void take_diagonals(Operand& operand, const Equation& equation) {
  for (std::size_t i = 0; i < operand.names.size(); ++i) {
    const char name = operand.names[i];
    const std::size_t twin = operand.names.find(name, i + 1);
    if (twin == Names::npos) continue;
    const auto first = static_cast<Index>(i);
    const auto second = static_cast<Index>(twin);
    if (operand.x.size(first) != operand.x.size(second)) {
      equation.fail<ShapeError>(
          fmt::format("the diagonal '{}' of {} needs equal sizes", name, describe(operand.x)));
    }
    operand.x = diagonal(operand.x, 0, first, second);
    operand.names.erase(twin, 1);
    operand.names.erase(i, 1);
    operand.names += name;
    i = static_cast<std::size_t>(-1);  // the places have changed: once more from the start
  }
}

// Where another operand has more, a size of 1 says nothing: that axis goes.
void drop_broadcast(Operand& operand, const Equation& equation) {
  for (std::size_t i = operand.names.size(); i-- > 0;) {
    const auto axis = static_cast<Index>(i);
    if (operand.x.size(axis) != 1 || equation.sizes.at(operand.names[i]) == 1) continue;
    operand.x = squeeze(operand.x, axis);
    operand.names.erase(i, 1);
  }
}

void sum_all_but(Operand& operand, const Names& kept) {
  std::vector<Index> axes;
  Names names;
  for (std::size_t i = 0; i < operand.names.size(); ++i) {
    if (holds(kept, operand.names[i])) {
      names += operand.names[i];
    } else {
      axes.push_back(static_cast<Index>(i));
    }
  }
  if (axes.empty()) return;
  operand.x = sum(operand.x, axes);
  operand.names = names;
}

Tensor in_order(const Operand& operand, const Names& names) {
  if (operand.names == names) return operand.x;
  std::vector<Index> axes;
  for (const char name : names) axes.push_back(static_cast<Index>(operand.names.find(name)));
  return permute(operand.x, axes);
}

// In the order of `names`, with a size of 1 where the operand has no such axis.
Tensor aligned(const Operand& operand, const Names& names) {
  Names own;
  for (const char name : names) own += holds(operand.names, name) ? Names(1, name) : Names();
  Tensor x = in_order(operand, own);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!holds(own, names[i])) x = unsqueeze(x, static_cast<Index>(i));
  }
  return x;
}

// The two joined: a batched matrix product [.., left, inner] [.., inner, right] where they
// share letters that are summed over, an elementwise one where a product would be of 1 x 1.
Operand join(Operand a, Operand b, const Names& later, const Equation& equation) {
  sum_all_but(a, later + b.names);
  sum_all_but(b, later + a.names);
  Names batch, left, inner, right;
  for (const char name : a.names) {
    (!holds(b.names, name) ? left : holds(later, name) ? batch : inner) += name;
  }
  for (const char name : b.names) {
    if (!holds(a.names, name)) right += name;
  }
  const Names joined = batch + left + right;
  const bool elementwise = inner.empty() || (left.empty() && right.empty() && !batch.empty());
  if (static_cast<Index>(joined.size() + (elementwise ? inner.size() : 0)) > kMaxRank) {
    equation.fail<ShapeError>(
        fmt::format("a product of two operands has more than {} axes", kMaxRank));
  }
  if (elementwise) {
    Operand out{aligned(a, joined + inner) * aligned(b, joined + inner), joined + inner};
    sum_all_but(out, joined);
    return out;
  }
  const auto sizes_of = [&](const Names& names) {
    Shape sizes;
    for (const char name : names) sizes.push_back(equation.sizes.at(name));
    return sizes;
  };
  const auto total = [&](const Names& names) {
    Index size = 1;
    for (const char name : names) size = checked_mul("einsum", size, equation.sizes.at(name));
    return size;
  };
  // Axes of a batch stay apart, which needs no copy of what was permuted. With two more they fit
  // the rank: one operand has had them beside a letter of `inner` and one of its own.
  const auto matrices = [&](const Operand& operand, const Names& rows, const Names& columns) {
    Shape shape = sizes_of(batch);
    shape.push_back(total(rows));
    shape.push_back(total(columns));
    return reshape(in_order(operand, batch + rows + columns), shape);
  };
  const Tensor product = matmul(matrices(a, left, inner), matrices(b, inner, right));
  return {reshape(product, sizes_of(joined)), joined};
}

}  // namespace

Tensor einsum(const std::string& equation_text, const std::vector<Tensor>& operands) {
  check_defined("einsum", operands, "operands");
  Equation equation(equation_text, operands);
  if (operands.empty()) equation.fail<ValueError>("needs at least one operand");
  for (const Tensor& x : operands) {
    check_floating("einsum", x.dtype());
    if (x.dtype() != operands[0].dtype()) {
      equation.fail<DTypeError>(
          fmt::format("dtypes differ: {} beside {}", describe(x), describe(operands[0])));
    }
  }
  std::vector<Operand>& terms = equation.operands;
  for (Operand& term : terms) {
    take_diagonals(term, equation);
    drop_broadcast(term, equation);
  }
  Operand out = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    Names later = equation.result;
    for (std::size_t k = i + 1; k < terms.size(); ++k) later += terms[k].names;
    out = join(out, terms[i], later, equation);
  }
  sum_all_but(out, equation.result);
  return in_order(out, equation.result);
}

}  // namespace heed
