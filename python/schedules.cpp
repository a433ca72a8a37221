// heed.optim.lr_scheduler: learning rates over time. Each keeps its optimizer alive.
#include "bindings.h"

namespace heed::python {
namespace {

using namespace heed::optim;

template <class T>
using ScheduleClass = py::class_<T, Schedule, std::shared_ptr<T>>;
using Keep = py::keep_alive<1, 2>;

// Which schedule was made first: it alone knows the rates that its optimizer began with, as each
// sets them while it is made.
struct Made {
  Made() : place(next++) {}
  virtual ~Made() = default;
  Index place;
  static inline Index next = 0;
};
template <class T>
struct InOrder : T, Made {
  using T::T;
};

template <class T, class... Arguments>
std::shared_ptr<T> make_in_order(Optimizer& optimizer, Arguments... arguments) {
  return std::make_shared<InOrder<T>>(optimizer, arguments...);
}
template <class T, class... Arguments>
auto init_of() {
  return py::init(&make_in_order<T, Arguments...>);
}

Rate held(const py::function& factor) {
  return [factor = Held(factor)](double, Index step) {
    const py::gil_scoped_acquire lock;
    return factor()(step).cast<double>();
  };
}

void bind_every_schedule(py::module_& m) {
  py::class_<Schedule, std::shared_ptr<Schedule>>(m, "LRScheduler",
                                                  "Sets rate(t) after t calls of step().")
      .def("step", &Schedule::step)
      .def_property_readonly("steps", &Schedule::steps)
      .def("get_last_lr", &Schedule::last_lr)
      .def("state_dict", [](const Schedule& schedule) { return dict_of(schedule.state_dict()); })
      .def(
          "load_state_dict",
          [](Schedule& schedule, const py::dict& entries) {
            schedule.load_state_dict(arrays_of(entries));
          },
          py::arg("state_dict"));
}

using Schedules = std::vector<std::shared_ptr<Schedule>>;

/// PyTorch joins schedules where rates are joined here, from those that the first of them found.
template <class Joined, class... Rest>
std::shared_ptr<Joined> joined(const char* name, Optimizer& optimizer, const Schedules& schedules,
                               const Rest&... rest) {
  if (schedules.empty()) throw ValueError(std::string(name) + ": no schedules");
  std::vector<Rate> rates;
  const Schedule* first = nullptr;
  const auto place = [](const Schedule& schedule) {
    return dynamic_cast<const Made&>(schedule).place;
  };
  for (const auto& schedule : schedules) {
    if (!schedule) throw py::type_error(std::string(name) + "(): a scheduler is None");
    rates.push_back(schedule->rate());
    if (!first || place(*schedule) < place(*first)) first = schedule.get();
  }
  NamedArrays begun = first->state_dict();
  for (auto& [entry, value] : begun)
    if (entry == "steps") value = Array::from(std::vector<std::int64_t>{0}, {});
  auto made = std::make_shared<InOrder<Joined>>(optimizer, rates, rest...);
  made->place = place(*first);
  made->load_state_dict(begun);
  return made;
}

void bind_joined(py::module_& m) {
  ScheduleClass<ChainedScheduler>(m, "ChainedScheduler",
                                  "All at once: factors multiply. Its schedules take no steps.")
      .def(py::init([](Optimizer& optimizer, const Schedules& schedulers) {
             return joined<ChainedScheduler>("ChainedScheduler", optimizer, schedulers);
           }),
           Keep(), py::arg("optimizer"), py::arg("schedulers"));
  ScheduleClass<SequentialLR>(m, "SequentialLR",
                              "One after another, each with its own step 0 at its milestone. Its "
                              "schedules take no steps.")
      .def(py::init([](Optimizer& optimizer, const Schedules& schedulers,
                       const std::vector<Index>& milestones) {
             return joined<SequentialLR>("SequentialLR", optimizer, schedulers, milestones);
           }),
           Keep(), py::arg("optimizer"), py::arg("schedulers"), py::arg("milestones"));
}

void bind_plateau(py::module_& m) {
  py::class_<ReduceLROnPlateau>(m, "ReduceLROnPlateau",
                                "Lowers the rates when a number stops to improve.")
      .def(py::init([](Optimizer& optimizer, const std::string& mode, double factor, Index patience,
                       double threshold, const std::string& threshold_mode, Index cooldown,
                       double min_lr, double eps) {
             if (mode != "min" && mode != "max")
               throw ValueError("ReduceLROnPlateau: mode is \"min\" or \"max\"");
             if (threshold_mode != "rel" && threshold_mode != "abs")
               throw ValueError("ReduceLROnPlateau: threshold_mode is \"rel\" or \"abs\"");
             return std::make_unique<ReduceLROnPlateau>(
                 optimizer, PlateauOptions{.maximize = mode == "max",
                                           .factor = factor,
                                           .patience = patience,
                                           .threshold = threshold,
                                           .absolute = threshold_mode == "abs",
                                           .cooldown = cooldown,
                                           .min_lr = min_lr,
                                           .eps = eps});
           }),
           Keep(), py::arg("optimizer"), py::arg("mode") = "min", py::arg("factor") = 0.1,
           py::arg("patience") = 10, py::arg("threshold") = 1e-4, py::arg("threshold_mode") = "rel",
           py::arg("cooldown") = 0, py::arg("min_lr") = 0, py::arg("eps") = 1e-8)
      .def("step", &ReduceLROnPlateau::step, py::arg("metrics"))
      .def_property_readonly("best", &ReduceLROnPlateau::best)
      .def("state_dict",
           [](const ReduceLROnPlateau& schedule) { return dict_of(schedule.state_dict()); })
      .def(
          "load_state_dict",
          [](ReduceLROnPlateau& schedule, const py::dict& entries) {
            schedule.load_state_dict(arrays_of(entries));
          },
          py::arg("state_dict"));
}

}  // namespace

void bind_schedules(py::module_& m) {
  bind_every_schedule(m);
  bind_plateau(m);
  bind_joined(m);
  ScheduleClass<LambdaLR>(m, "LambdaLR", "lr factor(t)")
      .def(py::init([](Optimizer& optimizer, const py::function& factor) {
             return make_in_order<LambdaLR>(optimizer,
                                            [f = held(factor)](Index step) { return f(0, step); });
           }),
           Keep(), py::arg("optimizer"), py::arg("lr_lambda"));
  ScheduleClass<StepLR>(m, "StepLR")
      .def(init_of<StepLR, Index, double>(), Keep(), py::arg("optimizer"), py::arg("step_size"),
           py::arg("gamma") = 0.1);
  ScheduleClass<MultiStepLR>(m, "MultiStepLR")
      .def(init_of<MultiStepLR, std::vector<Index>, double>(), Keep(), py::arg("optimizer"),
           py::arg("milestones"), py::arg("gamma") = 0.1);
  ScheduleClass<ExponentialLR>(m, "ExponentialLR")
      .def(init_of<ExponentialLR, double>(), Keep(), py::arg("optimizer"), py::arg("gamma"));
  ScheduleClass<CosineAnnealingLR>(m, "CosineAnnealingLR")
      .def(init_of<CosineAnnealingLR, Index, double>(), Keep(), py::arg("optimizer"),
           py::arg("T_max"), py::arg("eta_min") = 0);
  ScheduleClass<ConstantLR>(m, "ConstantLR")
      .def(init_of<ConstantLR, double, Index>(), Keep(), py::arg("optimizer"),
           py::arg("factor") = 1.0 / 3, py::arg("total_iters") = 5);
  ScheduleClass<LinearLR>(m, "LinearLR")
      .def(init_of<LinearLR, double, double, Index>(), Keep(), py::arg("optimizer"),
           py::arg("start_factor") = 1.0 / 3, py::arg("end_factor") = 1,
           py::arg("total_iters") = 5);
  ScheduleClass<NoamLR>(m, "NoamLR", "As of the Transformer (Vaswani et al. 2017).")
      .def(init_of<NoamLR, Index, Index>(), Keep(), py::arg("optimizer"), py::arg("width"),
           py::arg("warm_up"));
  ScheduleClass<OneCycleLR>(m, "OneCycleLR")
      .def(py::init([](Optimizer& optimizer, double max_lr, Index total, double pct, double div,
                       double final_div, const std::string& anneal, bool three_phase) {
             if (anneal != "cos" && anneal != "linear")
               throw ValueError("OneCycleLR: anneal_strategy is \"cos\" or \"linear\"");
             return make_in_order<OneCycleLR>(optimizer,
                                              OneCycleOptions{.max_lr = max_lr,
                                                              .total_steps = total,
                                                              .pct_start = pct,
                                                              .div_factor = div,
                                                              .final_div_factor = final_div,
                                                              .linear = anneal == "linear",
                                                              .three_phase = three_phase});
           }),
           Keep(), py::arg("optimizer"), py::arg("max_lr"), py::arg("total_steps"), py::kw_only(),
           py::arg("pct_start") = 0.3, py::arg("div_factor") = 25,
           py::arg("final_div_factor") = 1e4, py::arg("anneal_strategy") = "cos",
           py::arg("three_phase") = false);
}

}  // namespace heed::python
