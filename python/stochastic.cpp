// heed.stochastic: costs of random choices, the estimators of their gradients, and the check of
// these.
#include "bindings.h"
#include "options.h"

namespace heed::python {
namespace {

// Who chooses while a cost runs; Python may keep it for longer.
class LentChoices : public Choices {
 public:
  explicit LentChoices(Choices& behind) : behind_(&behind) {}
  Choice choose(const Tensor& logits) override {
    if (!behind_) throw GradError("choose: the cost that these choices were made for has returned");
    return behind_->choose(logits);
  }
  void end() { behind_ = nullptr; }

 private:
  Choices* behind_;
};

// cost(choices, ..). Under the lock.
template <class... Args>
Tensor call(const py::object& cost, Choices& choices, const Args&... args) {
  auto lent = std::make_unique<LentChoices>(choices);
  LentChoices& ours = *lent;
  const py::object given = py::cast(std::unique_ptr<Choices>(std::move(lent)));
  struct End {
    LentChoices& lent;
    ~End() { lent.end(); }
  } const end{ours};
  Tensor found = cost(given, args...).template cast<Tensor>();
  check_signals();
  return found;
}

// cost(choices)
ChoiceCost held(const py::function& cost) {
  return [held = Held(cost)](Choices& choices) {
    const py::gil_scoped_acquire lock;
    return call(held(), choices);
  };
}

void bind_choices(py::module_& m) {
  py::class_<Choice>(m, "Choice", "One among the places of logits, hard or soft.")
      .def_property_readonly("is_hard", &Choice::is_hard)
      .def_property_readonly("index", &Choice::index)
      .def_property_readonly("weights", &Choice::weights)
      .def("pick", &Choice::pick, Free(), py::arg("values"))
      .def("pick_number", &Choice::pick_number, Free(), py::arg("values"));
  py::class_<Choices>(m, "Choices", "What a cost is given: choose(logits) as often as it likes.")
      .def("choose", &Choices::choose, Free(), py::arg("logits"));
  py::class_<GreedyChoices, Choices>(m, "GreedyChoices").def(py::init<>());
  py::class_<ExpectedChoices, Choices>(m, "ExpectedChoices").def(py::init<>());
  py::class_<RelaxedChoices, Choices>(m, "RelaxedChoices")
      .def(py::init([](Relaxation kind, double tau) {
             return std::make_unique<RelaxedChoices>(kind, tau);
           }),
           py::arg("kind"), py::arg("tau") = 1);
  m.def(
      "enumerate",
      [](const py::function& cost, Index batch_axes, Index limit) {
        const ChoiceCost called = held(cost);
        const py::gil_scoped_release free;
        return enumerate(called, {.batch_axes = batch_axes, .limit = limit});
      },
      py::arg("cost"), py::arg("batch_axes") = 1, py::arg("limit") = 100000,
      "The exact expectation.");
}

template <class T>
py::class_<T, Estimator> estimator(py::module_& m, const char* name, const char* what) {
  return py::class_<T, Estimator>(m, name, what);
}

void bind_estimators(py::module_& m) {
  py::class_<Estimator>(m, "Estimator", "estimator(cost) gives what backward() is called on.")
      .def(
          "__call__",
          [](Estimator& estimator, const py::function& cost) {
            const ChoiceCost called = held(cost);
            const py::gil_scoped_release free;
            return estimator(called);
          },
          py::arg("cost"))
      .def_property_readonly("name", &Estimator::name)
      .def_property_readonly("unbiased", &Estimator::unbiased)
      .def("parameters", &Estimator::parameters);
  estimator<Reinforce>(m, "Reinforce", "Williams 1992.").def(py::init<>());
  estimator<MovingAverageReinforce>(m, "MovingAverageReinforce", "")
      .def(py::init<double>(), py::arg("decay") = 0.9);
  estimator<LeaveOneOut>(m, "LeaveOneOut", "Kool et al. 2019.")
      .def(py::init<Index>(), py::arg("samples"));
  estimator<SelfCritical>(m, "SelfCritical", "Rennie et al. 2017.").def(py::init<>());
  estimator<SoftBaseline>(m, "SoftBaseline", "Deng et al. 2018.").def(py::init<>());
  estimator<Vimco>(m, "Vimco", "Mnih & Rezende 2016.").def(py::init<Index>(), py::arg("samples"));
  estimator<Relaxed>(m, "Relaxed", "Biased: Jang et al. 2017, Maddison et al. 2017.")
      .def(py::init<Relaxation, double>(), py::arg("kind"), py::arg("tau") = 1);
  estimator<Rebar>(m, "Rebar", "Tucker et al. 2017.")
      .def(py::init<double, double>(), py::arg("tau") = 0.5, py::arg("eta") = 1);
  estimator<Enumeration>(m, "Enumeration", "The exact gradient.").def(py::init<>());
}

const Fields& fields() {
  using O = StochasticGradcheckOptions;
  static const auto& all = *new Fields{field("family_error", &O::family_error),
                                       field("power", &O::power),
                                       field("resolution", &O::resolution),
                                       field("first_look", &O::first_look),
                                       field("max_samples", &O::max_samples),
                                       field("batch", &O::batch),
                                       field("seed", &O::seed)};
  return all;
}

void bind_check(py::module_& m) {
  using Report = StochasticGradcheckReport;
  py::class_<Report>(m, "StochasticGradcheckReport",
                     "True unless the estimates' mean was found to be another.")
      .def_readonly("ok", &Report::ok)
      .def_readonly("samples", &Report::samples)
      .def_readonly("reference", &Report::reference)
      .def_readonly("bias", &Report::bias)
      .def_readonly("standard_error", &Report::standard_error)
      .def_readonly("variance", &Report::variance)
      .def_readonly("z", &Report::z)
      .def_readonly("critical", &Report::critical)
      .def_readonly("detectable", &Report::detectable)
      .def_readonly("problem", &Report::problem)
      .def("__bool__", [](const Report& report) { return report.ok; })
      .def("text", &Report::text)
      .def("__repr__", &Report::text);
  m.def(
      "stochastic_gradcheck",
      [](const py::function& draw, const Tensor& reference, const py::kwargs& given) {
        const auto options =
            options_of("stochastic_gradcheck", StochasticGradcheckOptions(), given, fields());
        const auto called = [held = Held(draw)] {
          const py::gil_scoped_acquire lock;
          Tensor found = held()().cast<Tensor>();
          check_signals();
          return found;
        };
        const py::gil_scoped_release free;
        return stochastic_gradcheck(called, reference, options);
      },
      py::arg("draw"), py::arg("reference"),
      "Whether the mean of draw()'s estimates [n, ..] is the reference, by z-tests at doubling "
      "sizes.");
  m.def(
      "stochastic_gradcheck",
      [](Estimator& estimator, const py::function& cost, const Tensor& theta,
         const Tensor& reference, const py::kwargs& given) {
        const auto options =
            options_of("stochastic_gradcheck", StochasticGradcheckOptions(), given, fields());
        const RowCost called = [held = Held(cost)](Choices& choices, const Tensor& rows) {
          const py::gil_scoped_acquire lock;
          return call(held(), choices, rows);
        };
        const py::gil_scoped_release free;
        return stochastic_gradcheck(estimator, called, theta, options, reference);
      },
      py::arg("estimator"), py::arg("cost"), py::arg("theta"), py::arg("reference") = Tensor(),
      "The estimator's gradient of theta, of cost(choices, theta) [N], against the exact one.");
}

}  // namespace

void bind_stochastic(py::module_& m, py::module_& stochastic) {
  bind_choices(stochastic);
  bind_estimators(stochastic);
  bind_check(m);
}

}  // namespace heed::python
