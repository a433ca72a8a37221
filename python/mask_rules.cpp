// heed.attention.Mask.rule: a rule of places that is written in Python.
#include "attention.h"
#include "bindings.h"
#include "traced.h"

namespace heed::python {
namespace {

using namespace heed::attention;
using attention::detail::LookUp;
using attention::detail::RuleTable;

template <class N>
using TruthOf =
    std::conditional_t<std::is_same_v<N, Place>, bool,
                       std::conditional_t<std::is_same_v<N, Interval>, Truth, FollowedTruths>>;

// The numbers and truths of a run; those of places are asked for one by one, and stay.
template <class N>
struct Found {
  std::vector<N> numbers;
  std::vector<TruthOf<N>> truths;
};

template <class N>
N looked_up(const LookUp<N>& table, const std::vector<N>& numbers,
            const std::vector<std::size_t>& at) {
  const auto x = [&](std::size_t i) -> const N& { return numbers[at[i]]; };
  switch (at.size()) {
    case 1: return table(x(0));
    case 2: return table(x(0), x(1));
    case 3: return table(x(0), x(1), x(2));
    default: return table(x(0), x(1), x(2), x(3));
  }
}

// The number of a step; min and max are those of N.
template <class N>
N number_of(const TracedStep& step, const std::vector<N>& given,
            const std::vector<LookUp<N>>& tables, const std::vector<N>& x) {
  using std::abs, std::max, std::min;
  switch (step.does) {
    case Does::constant: return N(step.whole);
    case Does::given: return given[step.a];
    case Does::add: return x[step.a] + x[step.b];
    case Does::subtract: return x[step.a] - x[step.b];
    case Does::multiply: return x[step.a] * x[step.b];
    case Does::divide_down: return x[step.a] / x[step.b];
    case Does::remainder: return x[step.a] % x[step.b];
    case Does::maximum: return max(x[step.a], x[step.b]);
    case Does::minimum: return min(x[step.a], x[step.b]);
    case Does::negative: return -x[step.a];
    case Does::abs: return abs(x[step.a]);
    case Does::look_up: return looked_up(tables[step.a], x, step.at);
    default: throw ValueError("mask: a step that no rule has");
  }
}

template <class N>
TruthOf<N> truth_of(const TracedStep& step, const Found<N>& found) {
  const auto& x = found.numbers;
  const auto truth = [&](std::size_t at) { return TruthOf<N>(found.truths[at]); };
  switch (step.does) {
    case Does::always: return TruthOf<N>(step.whole != 0);
    case Does::equal: return x[step.a] == x[step.b];
    case Does::below: return x[step.a] < x[step.b];
    case Does::at_most: return x[step.a] <= x[step.b];
    case Does::both: return truth(step.a) && truth(step.b);
    case Does::either: return truth(step.a) || truth(step.b);
    default: return !truth(step.a);
  }
}

template <class N>
TruthOf<N> run(const Program& program, const std::vector<N>& given,
               const std::vector<LookUp<N>>& tables, Found<N>& found) {
  found.numbers.clear();
  found.truths.clear();
  for (const TracedStep& step : program.steps()) {
    if (step.does < Does::always) {
      found.numbers.push_back(number_of(step, given, tables, found.numbers));
    } else {
      found.truths.push_back(truth_of(step, found));
    }
  }
  return found.truths[program.result];
}

template <class N>
concept OfPlaces =
    std::is_same_v<N, Place> || std::is_same_v<N, Interval> || std::is_same_v<N, FollowedPlaces>;

template <class N, class... Tables>
TruthOf<N> asked(const Program& program, std::initializer_list<N> numbers,
                 const Tables&... tables) {
  if constexpr (std::is_same_v<N, Place>) {
    thread_local std::vector<N> given;
    thread_local std::vector<LookUp<N>> all;
    thread_local Found<N> found;
    given.assign(numbers);
    all.assign({tables...});
    return run<N>(program, given, all, found);
  } else {
    Found<N> found;
    return run<N>(program, std::vector<N>(numbers), std::vector<LookUp<N>>{tables...}, found);
  }
}

// Of (q, k, ..) and of (q, k, batch, head, ..).
struct PlacesRule {
  std::shared_ptr<const Program> program;
  template <OfPlaces N, class... Tables>
  requires(std::is_same_v<Tables, LookUp<N>>&&...) TruthOf<N>
  operator()(const N& q, const N& k, const Tables&... tables) const {
    return asked<N>(*program, {q, k}, tables...);
  }
};
struct MatrixRule {
  std::shared_ptr<const Program> program;
  template <OfPlaces N, class... Tables>
  requires(std::is_same_v<Tables, LookUp<N>>&&...) TruthOf<N>
  operator()(const N& q, const N& k, const N& batch, const N& head, const Tables&... tables) const {
    return asked<N>(*program, {q, k, batch, head}, tables...);
  }
};

template <class Rule>
Mask mask_of(const Rule& rule, const std::vector<Tensor>& x) {
  switch (x.size()) {
    case 0: return Mask::rule(rule);
    case 1: return Mask::rule(rule, x[0]);
    case 2: return Mask::rule(rule, x[0], x[1]);
    case 3: return Mask::rule(rule, x[0], x[1], x[2]);
    default: throw ValueError("Mask.rule: a rule captures at most 3 tensors");
  }
}

}  // namespace

Mask mask_by_rule(const py::function& f, const py::args& captured) {
  std::vector<Tensor> tensors;
  for (const py::handle x : captured) {
    if (!py::isinstance<Tensor>(x)) {
      throw py::type_error("Mask.rule: what a rule captures are tensors, not " +
                           std::string(py::repr(x)));
    }
    tensors.push_back(x.cast<Tensor>());
  }
  std::size_t taken = 0;
  const auto program =
      traced("Mask.rule", f, true, {2, 4}, std::vector<bool>(tensors.size(), true), &taken);
  return taken == 2 ? mask_of(PlacesRule{program}, tensors) : mask_of(MatrixRule{program}, tensors);
}

}  // namespace heed::python
