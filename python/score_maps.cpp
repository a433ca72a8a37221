// heed.attention.score_map: a function of a score and its place that is written in Python.
#include <algorithm>
#include <functional>
#include <numeric>

#include "bindings.h"
#include "traced.h"

namespace heed::python {
namespace {

using heed::detail::Capture;

constexpr std::size_t kMostCaptured = 3;

// Of a strip, a dual number or a tensor.
template <class N>
struct Constants;
template <class T>
struct Constants<kernels::Strip<T>> {
  using Truth = kernels::StripMask;
  static kernels::Strip<T> of(double x, const kernels::Strip<T>&) {
    return kernels::Strip<T>::of(x);
  }
  static Truth truth(bool x) {
    Truth out;
    out.n = 1;
    out.x[0] = x;
    return out;
  }
};
template <class T>
struct Constants<kernels::Dual<T>> {
  using Truth = kernels::StripMask;
  static kernels::Dual<T> of(double x, const kernels::Dual<T>&) {
    return kernels::Dual<T>(kernels::Strip<T>::of(x));
  }
  static Truth truth(bool x) { return Constants<kernels::Strip<T>>::truth(x); }
};
template <>
struct Constants<Tensor> {
  using Truth = Tensor;
  static Tensor of(double x, const Tensor& score) { return tensor(x, score.dtype()); }
  static Tensor truth(bool x) { return tensor(x); }
};

template <class N>
using Table = std::function<N(const std::vector<N>&, const std::vector<std::size_t>&)>;

template <class N>
struct Given {
  std::vector<N> numbers;        // the score, its places, what is captured as a number
  std::vector<Table<N>> tables;  // what is captured as a table
};

template <class N>
N number_of(const TracedStep& step, const Given<N>& given, const std::vector<N>& x,
            const std::vector<typename Constants<N>::Truth>& truths) {
  const std::size_t a = step.a, b = step.b;
  switch (step.does) {
    case Does::constant: return Constants<N>::of(step.number, given.numbers[0]);
    case Does::given: return given.numbers[a];
    case Does::add: return x[a] + x[b];
    case Does::subtract: return x[a] - x[b];
    case Does::multiply: return x[a] * x[b];
    case Does::divide: return x[a] / x[b];
    case Does::power: return pow(x[a], x[b]);
    case Does::maximum: return maximum(x[a], x[b]);
    case Does::minimum: return minimum(x[a], x[b]);
    case Does::negative: return -x[a];
    case Does::abs: return abs(x[a]);
    case Does::sign: return sign(x[a]);
    case Does::exp: return exp(x[a]);
    case Does::expm1: return expm1(x[a]);
    case Does::log: return log(x[a]);
    case Does::log1p: return log1p(x[a]);
    case Does::sqrt: return sqrt(x[a]);
    case Does::rsqrt: return rsqrt(x[a]);
    case Does::square: return square(x[a]);
    case Does::reciprocal: return reciprocal(x[a]);
    case Does::sin: return sin(x[a]);
    case Does::cos: return cos(x[a]);
    case Does::tanh: return tanh(x[a]);
    case Does::erf: return erf(x[a]);
    case Does::sigmoid: return sigmoid(x[a]);
    case Does::relu: return relu(x[a]);
    case Does::look_up: return given.tables[a](x, step.at);
    case Does::choose: return where(truths[a], x[b], x[step.c]);
    default: throw ValueError("score_map: a step that no map has");
  }
}

template <class N>
typename Constants<N>::Truth truth_of(const TracedStep& step, const std::vector<N>& x,
                                      const std::vector<typename Constants<N>::Truth>& truths) {
  switch (step.does) {
    case Does::always: return Constants<N>::truth(step.whole != 0);
    case Does::equal: return x[step.a] == x[step.b];
    case Does::below: return x[step.a] < x[step.b];
    case Does::at_most: return x[step.a] <= x[step.b];
    case Does::both: return logical_and(truths[step.a], truths[step.b]);
    case Does::either: return logical_or(truths[step.a], truths[step.b]);
    default: return logical_not(truths[step.a]);
  }
}

template <class N>
N run(const Program& program, const Given<N>& given) {
  std::vector<N> numbers;
  std::vector<typename Constants<N>::Truth> truths;
  numbers.reserve(program.numbers());
  truths.reserve(program.truths());
  for (const TracedStep& step : program.steps()) {
    if (step.does < Does::always) {
      numbers.push_back(number_of(step, given, numbers, truths));
    } else {
      truths.push_back(truth_of(step, numbers, truths));
    }
  }
  return numbers[program.result];
}

// What a score_map() calls: the captured come by their kinds, `order` says as which of the
// function's own.
struct TracedMap {
  std::shared_ptr<const Program> program;
  std::size_t taken;  // the score and its places
  std::vector<std::size_t> order;

  template <class N, class Places, class... Captured>
  N operator()(const N& s, const Places& at, const Captured&... captured) const {
    Given<N> given;
    given.numbers = {s, N(at.q), N(at.k)};
    if (taken > 3) given.numbers.insert(given.numbers.end(), {N(at.batch), N(at.head)});
    given.numbers.resize(taken + order.size(), s);
    given.tables.resize(order.size());
    std::size_t i = 0;
    (add(given, order[i++], captured), ...);
    return run<N>(*program, given);
  }

 private:
  template <class N, class C>
  void add(Given<N>& given, std::size_t which, const C& captured) const {
    if constexpr (std::is_same_v<C, N>) {
      given.numbers[taken + which] = captured;
    } else {
      given.tables[which] = [&captured](const std::vector<N>& x,
                                        const std::vector<std::size_t>& at) -> N {
        switch (at.size()) {
          case 1: return captured(x[at[0]]);
          case 2: return captured(x[at[0]], x[at[1]]);
          case 3: return captured(x[at[0]], x[at[1]], x[at[2]]);
          default: return captured(x[at[0]], x[at[1]], x[at[2]], x[at[3]]);
        }
      };
    }
  }
};

// Kinds in the order of Capture.
template <Capture... kDone>
ScoreMap made(const TracedMap& f, const std::vector<Capture>& kinds,
              const std::vector<Tensor>& captured) {
  constexpr std::size_t kCount = sizeof...(kDone);
  if (kinds.size() == kCount) {
    return {std::make_shared<heed::detail::MapOf<TracedMap, kDone...>>(f), captured};
  }
  if constexpr (kCount < kMostCaptured) {
    constexpr Capture kLeast = [] {
      Capture last = Capture::number;
      ((last = kDone), ...);
      return last;
    }();
    switch (kinds[kCount]) {
      case Capture::number:
        if constexpr (kLeast <= Capture::number) {
          return made<kDone..., Capture::number>(f, kinds, captured);
        }
        break;
      case Capture::table:
        if constexpr (kLeast <= Capture::table) {
          return made<kDone..., Capture::table>(f, kinds, captured);
        }
        break;
      case Capture::each_place: return made<kDone..., Capture::each_place>(f, kinds, captured);
    }
  }
  throw ValueError("score_map: a map captures at most 3 tensors");
}

ScoreMap score_map_of(const py::function& f, const py::args& given) {
  std::vector<Capture> kinds;
  std::vector<Tensor> captured;
  std::vector<bool> tables;
  for (const py::handle x : given) {
    tables.push_back(py::isinstance<heed::Table>(x));
    if (tables.back()) {
      kinds.push_back(Capture::table);
      captured.push_back(x.cast<heed::Table>().x);
    } else if (py::isinstance<EachPlace>(x)) {
      kinds.push_back(Capture::each_place);
      captured.push_back(x.cast<EachPlace>().x);
    } else if (py::isinstance<Tensor>(x)) {
      kinds.push_back(Capture::number);
      captured.push_back(x.cast<Tensor>());
    } else {
      throw py::type_error(
          "score_map: what a map captures are tensors, as_table(x) and "
          "each_place(x), not " +
          std::string(py::repr(x)));
    }
  }
  TracedMap map;
  map.program = traced("score_map", f, false, {3, 5}, tables, &map.taken);
  map.order.resize(kinds.size());
  std::iota(map.order.begin(), map.order.end(), std::size_t{0});
  std::stable_sort(map.order.begin(), map.order.end(),
                   [&](std::size_t a, std::size_t b) { return kinds[a] < kinds[b]; });
  std::vector<Capture> sorted;
  std::vector<Tensor> tensors;
  for (const std::size_t which : map.order) {
    sorted.push_back(kinds[which]);
    tensors.push_back(captured[which]);
  }
  return made<>(map, sorted, tensors);
}

}  // namespace

void bind_score_maps(py::module_& m) {
  py::class_<ScoreMap>(m, "ScoreMap", "A function of a score and its place.")
      .def("__call__", &ScoreMap::operator(), Free(), py::arg("scores"),
           "The definition: scores [.., Q, K] -> the same.")
      .def("then", &ScoreMap::then, py::arg("next"), "First this one, then the other.");
  py::class_<heed::Table>(m, "Table", "A captured tensor that is read by place: x(i), x(i, j).");
  py::class_<EachPlace>(m, "EachPlace", "A captured tensor that has a number for each score.");
  m.def(
      "as_table", [](const Tensor& x) { return as_table(x); }, py::arg("input").none(false),
      "Read by place in a score map: x(i), x(i, j); NaN beyond its ends.");
  m.def(
      "each_place", [](const Tensor& x) { return each_place(x); }, py::arg("input").none(false),
      "[.., Q, K], broadcasts: a number for each score; no gradients.");
  m.def("score_map", &score_map_of, py::arg("function"),
        "Of function(s, q, k, *captured) or (s, q, k, batch, head, *captured): the score and where "
        "it stands. It is called once, with numbers that note what is done with them: operators, "
        "heed's functions, heed.where(condition, a, b), conditions joined by &, | and ~. Captured "
        "tensors, at most 3, are one number, one a head, as_table(x) or each_place(x).");
}

}  // namespace heed::python
