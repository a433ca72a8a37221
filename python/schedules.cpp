// heed.optim.lr_scheduler: learning rates over time. Each keeps its optimizer alive.
#include "bindings.h"

namespace heed::python {
namespace {

using namespace heed::optim;

template <class T>
using ScheduleClass = py::class_<T, Schedule, std::shared_ptr<T>>;
using Keep = py::keep_alive<1, 2>;

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

/// PyTorch joins schedules where rates are joined here. Each of them has set the optimizer's rates
/// as it was made, so that only the first knows those it began with.
template <class Joined, class... Rest>
std::shared_ptr<Joined> joined(const char* name, Optimizer& optimizer, const Schedules& schedules,
                               const Rest&... rest) {
  if (schedules.empty()) throw ValueError(std::string(name) + ": no schedules");
  std::vector<Rate> rates;
  for (const auto& schedule : schedules) rates.push_back(schedule->rate());
  NamedArrays begun = schedules.front()->state_dict();
  for (auto& [entry, value] : begun)
    if (entry == "steps") value = Array::from(std::vector<std::int64_t>{0}, {});
  auto made = std::make_shared<Joined>(optimizer, rates, rest...);
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
             return std::make_shared<LambdaLR>(
                 optimizer, [f = held(factor)](Index step) { return f(0, step); });
           }),
           Keep(), py::arg("optimizer"), py::arg("lr_lambda"));
  ScheduleClass<StepLR>(m, "StepLR")
      .def(py::init<Optimizer&, Index, double>(), Keep(), py::arg("optimizer"),
           py::arg("step_size"), py::arg("gamma") = 0.1);
  ScheduleClass<MultiStepLR>(m, "MultiStepLR")
      .def(py::init<Optimizer&, const std::vector<Index>&, double>(), Keep(), py::arg("optimizer"),
           py::arg("milestones"), py::arg("gamma") = 0.1);
  ScheduleClass<ExponentialLR>(m, "ExponentialLR")
      .def(py::init<Optimizer&, double>(), Keep(), py::arg("optimizer"), py::arg("gamma"));
  ScheduleClass<CosineAnnealingLR>(m, "CosineAnnealingLR")
      .def(py::init<Optimizer&, Index, double>(), Keep(), py::arg("optimizer"), py::arg("T_max"),
           py::arg("eta_min") = 0);
  ScheduleClass<ConstantLR>(m, "ConstantLR")
      .def(py::init<Optimizer&, double, Index>(), Keep(), py::arg("optimizer"),
           py::arg("factor") = 1.0 / 3, py::arg("total_iters") = 5);
  ScheduleClass<LinearLR>(m, "LinearLR")
      .def(py::init<Optimizer&, double, double, Index>(), Keep(), py::arg("optimizer"),
           py::arg("start_factor") = 1.0 / 3, py::arg("end_factor") = 1,
           py::arg("total_iters") = 5);
  ScheduleClass<NoamLR>(m, "NoamLR", "As of the Transformer (Vaswani et al. 2017).")
      .def(py::init<Optimizer&, Index, Index>(), Keep(), py::arg("optimizer"), py::arg("width"),
           py::arg("warm_up"));
  ScheduleClass<OneCycleLR>(m, "OneCycleLR")
      .def(py::init([](Optimizer& optimizer, double max_lr, Index total, double pct, double div,
                       double final_div, const std::string& anneal, bool three_phase) {
             return std::make_shared<OneCycleLR>(optimizer,
                                                 OneCycleOptions{.max_lr = max_lr,
                                                                 .total_steps = total,
                                                                 .pct_start = pct,
                                                                 .div_factor = div,
                                                                 .final_div_factor = final_div,
                                                                 .linear = anneal == "linear",
                                                                 .three_phase = three_phase});
           }),
           Keep(), py::arg("optimizer"), py::arg("max_lr"), py::arg("total_steps"),
           py::arg("pct_start") = 0.3, py::arg("div_factor") = 25,
           py::arg("final_div_factor") = 1e4, py::arg("anneal_strategy") = "cos",
           py::arg("three_phase") = false);
}

}  // namespace heed::python
