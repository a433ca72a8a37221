#include "traced.h"

#include <fmt/format.h>

#include "bindings.h"

namespace heed::python {

std::size_t Program::add_number(TracedStep step) {
  steps_.push_back(std::move(step));
  return numbers_++;
}

std::size_t Program::add_truth(TracedStep step) {
  steps_.push_back(std::move(step));
  return truths_++;
}

namespace {

[[noreturn]] void throw_type(const std::string& text) { throw py::type_error(text); }

constexpr const char* kChoose =
    "is asked of all places at once: join conditions by &, | and ~, in brackets, instead of and, "
    "or, not, a < b < c and if";

void check_program(const std::shared_ptr<Program>& here, const std::shared_ptr<Program>& other) {
  if (here != other) {
    throw ValueError("a number of one traced function does not belong into another");
  }
}

// A traced number, or one of Python's.
std::size_t number_in(const std::shared_ptr<Program>& program, const py::handle& x) {
  if (py::isinstance<TracedNumber>(x)) {
    const auto& number = x.cast<const TracedNumber&>();
    check_program(program, number.program);
    return number.place;
  }
  if (py::isinstance<Tensor>(x)) {
    throw_type(
        "a tensor goes into a traced function as what it has captured: give it behind the "
        "function, and take it as one more argument");
  }
  if (py::isinstance<TracedTruth>(x)) {
    throw_type(program->is_rule() ? "a condition is no number"
                                  : "a condition is no number: heed.where(condition, 1, 0) is");
  }
  if (program->is_rule()) {
    std::vector<Index> whole;
    if (!load_numbers(x, whole) || whole.size() != 1) {
      throw_type("places are whole numbers, as in 2 * k <= q, not " + std::string(py::repr(x)));
    }
    return program->add_number({.does = Does::constant, .whole = whole[0]});
  }
  try {
    return program->add_number({.does = Does::constant, .number = x.cast<double>()});
  } catch (const py::cast_error&) {
    throw_type("a number is needed, not " + std::string(py::repr(x)));
  }
}

std::size_t truth_in(const std::shared_ptr<Program>& program, const py::handle& x) {
  if (py::isinstance<TracedTruth>(x)) {
    const auto& truth = x.cast<const TracedTruth&>();
    check_program(program, truth.program);
    return truth.place;
  }
  if (PyBool_Check(x.ptr())) {
    return program->add_truth({.does = Does::always, .whole = x.ptr() == Py_True ? 1 : 0});
  }
  throw_type("a condition is needed, not " + std::string(py::repr(x)));
}

struct Named {
  const char* name;
  Does does;
};

// What a rule has no word for, and what a map has none for.
void check_known(const Program& program, const char* name, Does does) {
  const bool of_rules = does == Does::divide_down || does == Does::remainder;
  const bool of_both = does == Does::add || does == Does::subtract || does == Does::multiply ||
                       does == Does::maximum || does == Does::minimum || does == Does::negative ||
                       does == Does::abs;
  if (of_both || of_rules == program.is_rule()) return;
  throw_type(program.is_rule()
                 ? fmt::format("{}: a rule has + - * // % abs maximum minimum and comparisons, of "
                               "whole numbers",
                               name)
                 : fmt::format("{}: a score map has / and no // and %", name));
}

TracedNumber both(const char* name, Does does, const TracedNumber& x, const py::handle& y,
                  bool turned) {
  check_known(*x.program, name, does);
  std::size_t a = x.place, b = number_in(x.program, y);
  if (turned) std::swap(a, b);
  return {x.program, x.program->add_number({.does = does, .a = a, .b = b})};
}

TracedTruth opposite(const TracedTruth& x) {
  return {x.program, x.program->add_truth({.does = Does::opposite, .a = x.place})};
}
TracedTruth joined(Does does, const TracedTruth& x, const py::handle& y) {
  const std::size_t other = truth_in(x.program, y);
  return {x.program, x.program->add_truth({.does = does, .a = x.place, .b = other})};
}
// One of two, but not both.
TracedTruth differ(const TracedTruth& x, const py::handle& given) {
  const TracedTruth y{x.program, truth_in(x.program, given)};
  const auto join = [&](Does does, const TracedTruth& a, const TracedTruth& b) {
    return TracedTruth{x.program, x.program->add_truth({.does = does, .a = a.place, .b = b.place})};
  };
  return join(Does::either, join(Does::both, x, opposite(y)), join(Does::both, opposite(x), y));
}

TracedNumber chosen(const TracedTruth& condition, const py::object& x, const py::object& y) {
  if (condition.program->is_rule()) {
    throw_type("where: a rule has conditions alone, joined by &, | and ~");
  }
  const std::size_t a = number_in(condition.program, x), b = number_in(condition.program, y);
  return {condition.program, condition.program->add_number(
                                 {.does = Does::choose, .a = condition.place, .b = a, .c = b})};
}

void bind_numbers(py::module_& root, py::module_& m) {
  py::class_<TracedNumber> c(m, "TracedNumber",
                             "A number of all places at once, in a rule of a mask or a score map.");
  py::class_<TracedTruth> t(m, "TracedTruth",
                            "A condition of all places at once: joined by &, | and ~.");
  const Named operators[] = {
      {"add", Does::add},        {"sub", Does::subtract},         {"mul", Does::multiply},
      {"truediv", Does::divide}, {"floordiv", Does::divide_down}, {"mod", Does::remainder},
      {"pow", Does::power}};
  for (const Named& row : operators) {
    for (const bool turned : {false, true}) {
      c.def(
          fmt::format("__{}{}__", turned ? "r" : "", row.name).c_str(),
          [row, turned](const TracedNumber& x, const py::object& y) {
            return both(row.name, row.does, x, y, turned);
          },
          py::arg("other"));
    }
  }
  struct Comparison {
    const char* name;
    Does does;
    bool turned, opposite;
  };
  const Comparison comparisons[] = {
      {"__eq__", Does::equal, false, false}, {"__ne__", Does::equal, false, true},
      {"__lt__", Does::below, false, false}, {"__ge__", Does::at_most, true, false},
      {"__gt__", Does::below, true, false},  {"__le__", Does::at_most, false, false}};
  for (const Comparison& row : comparisons) {
    c.def(
        row.name,
        [row](const TracedNumber& x, const py::object& y) {
          std::size_t a = x.place, b = number_in(x.program, y);
          if (row.turned) std::swap(a, b);
          const TracedTruth out{x.program,
                                x.program->add_truth({.does = row.does, .a = a, .b = b})};
          return row.opposite ? opposite(out) : out;
        },
        py::arg("other"));
  }
  const Named functions[] = {{"neg", Does::negative},
                             {"abs", Does::abs},
                             {"sign", Does::sign},
                             {"exp", Does::exp},
                             {"expm1", Does::expm1},
                             {"log", Does::log},
                             {"log1p", Does::log1p},
                             {"sqrt", Does::sqrt},
                             {"rsqrt", Does::rsqrt},
                             {"square", Does::square},
                             {"reciprocal", Does::reciprocal},
                             {"sin", Does::sin},
                             {"cos", Does::cos},
                             {"tanh", Does::tanh},
                             {"erf", Does::erf},
                             {"sigmoid", Does::sigmoid},
                             {"relu", Does::relu}};
  for (const Named& row : functions) {
    const auto f = [row](const TracedNumber& x) {
      check_known(*x.program, row.name, row.does);
      return TracedNumber{x.program, x.program->add_number({.does = row.does, .a = x.place})};
    };
    root.def(row.name, f, py::arg("input"));
    c.def(row.name, f);
    if (row.does == Does::negative) c.def("__neg__", f);
    if (row.does == Does::abs) c.def("__abs__", f);
  }
  for (const Named& row : {Named{"maximum", Does::maximum}, Named{"minimum", Does::minimum}}) {
    const auto f = [row](const TracedNumber& x, const py::object& y) {
      return both(row.name, row.does, x, y, false);
    };
    root.def(row.name, f, py::arg("input"), py::arg("other"));
    root.def(
        row.name,
        [row](const py::object& x, const TracedNumber& y) {
          return both(row.name, row.does, y, x, true);
        },
        py::arg("input"), py::arg("other"));
    c.def(row.name, f, py::arg("other"));
  }
  root.def("where", &chosen, py::arg("condition"), py::arg("input"), py::arg("other"));

  t.def(
      "__and__", [](const TracedTruth& x, const py::object& y) { return joined(Does::both, x, y); },
      py::arg("other"));
  t.def(
      "__or__",
      [](const TracedTruth& x, const py::object& y) { return joined(Does::either, x, y); },
      py::arg("other"));
  for (const char* const name : {"__xor__", "__ne__"}) t.def(name, &differ, py::arg("other"));
  t.def(
      "__eq__", [](const TracedTruth& x, const py::object& y) { return opposite(differ(x, y)); },
      py::arg("other"));
  t.def("__invert__", &opposite);
  for (const char* const name : {"__rand__", "__ror__", "__rxor__"}) {
    const Does does = name[3] == 'a' ? Does::both : Does::either;
    t.def(
        name,
        [does, xor_ = name[3] == 'x'](const TracedTruth& x, const py::object& y) {
          return xor_ ? differ(x, y) : joined(does, x, y);
        },
        py::arg("other"));
  }
  t.def("__bool__", [](const TracedTruth&) -> bool {
    throw_type("a condition of a traced function " + std::string(kChoose));
  });
  c.def("__bool__", [](const TracedNumber&) -> bool {
    throw_type("a number of a traced function " + std::string(kChoose));
  });
  py::class_<TracedTable>(m, "TracedTable",
                          "A captured tensor that is read by place: x(i), x(i, j).")
      .def("__call__", [](const TracedTable& table, const py::args& places) {
        TracedStep step{.does = Does::look_up, .a = table.which};
        if (places.empty() || places.size() > 4) throw_type("a table is read at 1 to 4 places");
        for (const py::handle place : places) step.at.push_back(number_in(table.program, place));
        return TracedNumber{table.program, table.program->add_number(std::move(step))};
      });
}

}  // namespace

std::shared_ptr<const Program> traced(const char* op, const py::function& f, bool rule,
                                      const std::vector<std::size_t>& counts,
                                      const std::vector<bool>& tables, std::size_t* taken) {
  const auto wanted =
      py::len(py::module_::import("inspect").attr("signature")(f).attr("parameters"));
  *taken = 0;
  std::string allowed;
  for (const std::size_t count : counts) {
    if (wanted == count + tables.size()) *taken = count;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : " or ", count + tables.size());
  }
  if (*taken == 0) {
    throw_type(fmt::format("{}: the function takes {} arguments, not {}, {} of them captured", op,
                           wanted, allowed, tables.size()));
  }
  const auto program = std::make_shared<Program>(rule);
  py::list arguments;
  for (std::size_t i = 0; i < *taken; ++i) {
    arguments.append(TracedNumber{program, program->add_number({.does = Does::given, .a = i})});
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i]) {
      arguments.append(TracedTable{program, i});
    } else {
      arguments.append(
          TracedNumber{program, program->add_number({.does = Does::given, .a = *taken + i})});
    }
  }
  const py::object out = f(*arguments);
  const bool fits = rule ? py::isinstance<TracedTruth>(out) || PyBool_Check(out.ptr())
                         : !py::isinstance<TracedTruth>(out) && !out.is_none();
  if (!fits) {
    throw_type(fmt::format("{}: the function gives {}, not {}", op, std::string(py::repr(out)),
                           rule ? "a condition" : "a number"));
  }
  program->result = rule ? truth_in(program, out) : number_in(program, out);
  return program;
}

void bind_traced(py::module_& root, py::module_& attention) { bind_numbers(root, attention); }

}  // namespace heed::python
