#include "../../../../autograd/ops/linalg/einsum.h"

#include <map>

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// All sums in one: over every place of every letter. `equation` has no ellipsis.
Block summed(const std::string& equation, B xs) {
  std::vector<std::string> terms(1);
  const std::size_t arrow = equation.find('>');
  for (const char c : equation.substr(0, arrow - 1)) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  const std::string result = equation.substr(arrow + 1);
  std::string letters = result;
  std::map<char, Index> sizes;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t axis = 0; axis < terms[i].size(); ++axis) {
      const char letter = terms[i][axis];
      if (letters.find(letter) == std::string::npos) letters += letter;
      const Index size = xs[i].size(static_cast<Index>(axis));
      if (!sizes.contains(letter) || sizes[letter] == 1) sizes[letter] = size;
    }
  }
  Sizes to, all;
  for (const char letter : result) to.push_back(sizes[letter]);
  for (const char letter : letters) all.push_back(sizes[letter]);
  Block out(to, [](const Place&) { return 0.0; });
  each_place(all, [&](const Place& p) {
    double value = 1;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      Place at;
      for (const char letter : terms[i]) at.push_back(p[letters.find(letter)]);
      value *= xs[i](at);
    }
    out.at(Place(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(to.size()))) += value;
  });
  return out;
}

// `plain` says the same without ellipsis and with its result.
Sample form(const std::string& equation, const std::string& plain,
            const std::vector<Sizes>& shapes) {
  std::vector<Input> inputs;
  for (const Sizes& shape : shapes) inputs.push_back(in(shape));
  std::string name = equation;
  for (const Sizes& shape : shapes) name += " " + to_string(Shape(shape));
  return sample(
      name, inputs, [equation](X x) { return einsum(equation, x); },
      [plain](B x) { return summed(plain, x); });
}

Sample form(const std::string& equation, const std::vector<Sizes>& shapes) {
  return form(equation, equation, shapes);
}

template <class E>
BadCall refused(const std::string& text, const std::string& equation, const Tensors& xs) {
  return BAD(E, "einsum: \"" + equation + "\": " + text, einsum(equation, xs));
}

Row einsum_row() {
  return {"einsum",
          {form("ij->ij", {{2, 3}}),
           form("ij->ji", {{2, 3}}),
           form("ba", "ba->ab", {{2, 3}}),
           form("ij->", {{2, 3}}),
           form("ij->j", {{2, 3}}),
           form("ii", "ii->", {{3, 3}}),
           form("ii->i", {{3, 3}}),
           form("iijk->kji", {{2, 2, 3, 2}}),
           form("ijij->ji", {{2, 3, 2, 3}}),
           form("iii->i", {{2, 2, 2}}),
           form("...ij->...ji", "abij->abji", {{2, 1, 3, 2}}),
           form("i...->i", "iab->i", {{2, 3, 2}}),
           form("...", "ab->ab", {{2, 3}}),
           form("ik,kj->ij", {{2, 3}, {3, 5}}),
           form(" ik, kj ", "ik,kj->ij", {{2, 3}, {3, 5}}),
           form("ki,kj->ji", {{3, 2}, {3, 5}}),
           form("bik,bkj->bij", {{2, 3, 2}, {2, 2, 3}}),
           form("bhqd,bhkd->bhqk", {{2, 2, 3, 2}, {2, 2, 2, 2}}),
           form("bqhd,bkhd->bhqk", {{2, 3, 2, 2}, {2, 2, 2, 2}}),
           form("i,i", "i,i->", {{5}, {5}}),
           form("i,j->ij", {{3}, {5}}),
           form("i,i->i", {{5}, {5}}),
           form("bi,bi->b", {{2, 3}, {2, 3}}),
           form("ij,jk->k", {{2, 3}, {3, 2}}),
           form("ij,->ij", {{2, 3}, {}}),
           form("ij,k->ij", {{2, 3}, {2}}),
           form("...ik,kj->...ij", "abik,kj->abij", {{2, 1, 2, 3}, {3, 2}}),
           form("...ij,...jk", "abij,abjk->abik", {{3, 1, 2, 3}, {1, 2, 3, 2}}),
           form("...i,...i->...", "abi,bi->ab", {{2, 3, 2}, {3, 2}}),
           form("...i,i->", "abi,i->", {{2, 3, 2}, {2}}),
           form("ij,jk->ik", {{2, 1}, {3, 2}}),
           form("bi,bj->bij", {{1, 2}, {3, 2}}),
           form("ii,ij->j", {{2, 2}, {2, 3}}),
           form("bi,oij,bj->bo", {{2, 3}, {2, 3, 2}, {2, 2}}),
           form("abcdefi,abcdefi->abcdef", {{1, 2, 1, 1, 2, 1, 3}, {1, 2, 1, 1, 2, 1, 3}}),
           form("abcdefi,i->abcdef", {{1, 2, 1, 1, 2, 1, 3}, {3}}),
           form("abcdefi,abcdeij->abcdefj", {{1, 2, 1, 1, 2, 1, 3}, {1, 2, 1, 1, 2, 3, 2}}),
           form("ij,jk,kl->il", {{2, 3}, {3, 2}, {2, 3}}),
           form("i,i,i,i->i", {{3}, {3}, {3}, {3}}),
           form("Ab,bA", "Ab,bA->", {{2, 3}, {3, 2}}),
           form("ik,kj->ij", {{0, 3}, {3, 2}}),
           form("ik,kj->ij", {{2, 0}, {0, 3}})},
          {refused<ValueError>("2 terms for 1 operands", "ik,kj->ij", {of(3, 5)}),
           refused<ValueError>("1 terms for 0 operands", "", {}),
           refused<ShapeError>("\"ijk\" does not fit the rank of f32[3, 5]", "ijk->i", {of(3, 5)}),
           refused<ShapeError>("\"i\" does not fit the rank of f32[3, 5]", "i", {of(3, 5)}),
           refused<ShapeError>("\"...ijk\" does not fit the rank", "...ijk", {of(3, 5)}),
           refused<ValueError>("'1' is neither a letter nor one ellipsis", "i1", {of(3, 5)}),
           refused<ValueError>("'.' is neither a letter", "..ij", {of(3, 5)}),
           refused<ValueError>("'.' is neither a letter", "...i...", {of(3, 5)}),
           refused<ValueError>("'-' is neither a letter", "ij->i->j", {of(3, 5)}),
           refused<ValueError>("the result names 'i' twice", "ij->ii", {of(3, 5)}),
           refused<ValueError>("no operand has the result's 'k'", "ij->ik", {of(3, 5)}),
           refused<ShapeError>("'k' is 5 here and 3 there", "ik,kj->ij", {of(3, 5), of(3, 5)}),
           refused<ShapeError>("an axis of the ellipsis is 2 here and 3 there", "...i,...i",
                               {of(2, 5), of(3, 5)}),
           refused<ShapeError>("'i' is 3 here and 5 there", "ii", {of(3, 5)}),
           refused<ShapeError>("the diagonal 'i' of f32[1, 5] needs equal sizes", "ii", {of(1, 5)}),
           refused<ShapeError>("the result would have rank 9, above 8", "abcde,fghi",
                               {of(1, 1, 1, 1, 1), of(1, 1, 1, 1)}),
           refused<DTypeError>("dtypes differ: f64[3] beside f32[3]", "i,i",
                               {of(3), of<DType::f64>(3)}),
           BAD(DTypeError, "einsum: takes f32 or f64, not i64", einsum("i", {ids(1, 2)})),
           BAD(GradError, "einsum: operands[0] is undefined", einsum("i", {Tensor()}))}};
}

}  // namespace

std::vector<Row> einsum_rows() { return {einsum_row()}; }

}  // namespace heed::table
