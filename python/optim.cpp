// heed.optim: optimizers and averages of weights. schedules.cpp has the learning rates over time.
#include "modules.h"
#include "options.h"

namespace heed::python {
namespace {

using namespace heed::optim;

// A tensor, by itself or behind its name.
Tensor parameter_of(py::handle item) {
  const bool named = PyTuple_Check(item.ptr()) && PyTuple_GET_SIZE(item.ptr()) == 2 &&
                     PyUnicode_Check(PyTuple_GET_ITEM(item.ptr(), 0));
  return named ? item[py::int_(1)].cast<Tensor>() : item.cast<Tensor>();
}

// What iterates over tensors. One tensor does, too, over what its rows are: not what is meant.
std::vector<Tensor> tensors_of(const py::object& given) {
  if (py::isinstance<Tensor>(given)) {
    throw py::type_error("params: an iterable of tensors (or of dicts), not one tensor: say [w]");
  }
  std::vector<Tensor> out;
  for (const py::handle item : py::iter(given)) out.push_back(parameter_of(item));
  return out;
}

std::vector<Tensor> one_or_more(const py::object& given) {
  return py::isinstance<Tensor>(given) ? std::vector<Tensor>{given.cast<Tensor>()}
                                       : tensors_of(given);
}

/// Type(params, **options), params tensors or dicts {"params": [...], "lr": ...}.
template <class T>
void bind_optimizer(py::module_& m, const char* name, Fields fields) {
  using Options = typename T::Settings;
  const std::string what = std::string(name) + "(params, *, " + names_of(fields) +
                           ") of tensors, also behind their names, or of groups {\"params\": [..], "
                           "\"lr\": ..} that have options of their own.";
  py::class_<T, Optimizer, std::shared_ptr<T>>(m, name, what.c_str())
      .def(py::init([name, fields](const py::object& params, const py::args& lr,
                                   const py::kwargs& kwargs) {
             Options all;
             if (lr.size() > 1)
               throw py::type_error(std::string(name) + "(): options go by their names");
             if (lr.size() == 1) all.lr = lr[0].cast<double>();
             all = options_of(name, all, kwargs, fields);
             if (py::isinstance<Tensor>(params)) tensors_of(params);  // refused
             const py::list items(params);
             if (items.empty() || !py::isinstance<py::dict>(items[0]))
               return std::make_shared<T>(tensors_of(items), all);
             std::vector<ParameterGroup<Options>> groups;
             for (const py::handle item : items) {
               if (!py::isinstance<py::dict>(item))
                 throw py::type_error(std::string(name) + "(): tensors, or groups, not both");
               const auto group = item.cast<py::dict>();
               if (!group.contains("params")) throw py::key_error("a group without \"params\"");
               const py::object own = group["params"];
               groups.push_back({one_or_more(own), options_of(name, all, group, fields, "params")});
             }
             return std::make_shared<T>(groups);
           }),
           py::arg("params"));
}

void bind_base(py::module_& m) {
  py::class_<Optimizer, std::shared_ptr<Optimizer>>(m, "Optimizer", "The base of the optimizers.")
      .def(
          "step",
          [](Optimizer& optimizer, const py::object& closure) {
            py::object loss = py::none();
            if (!closure.is_none()) loss = closure();
            const py::gil_scoped_release free;
            optimizer.step();
            return loss;
          },
          py::arg("closure") = py::none(), "One step from the gradients as they are.")
      .def(
          "zero_grad",
          [](Optimizer& optimizer, bool none) {
            if (none) return optimizer.zero_grad();
            for (Tensor& parameter : optimizer.parameters()) {
              if (parameter.grad().defined()) {
                parameter.set_grad(zeros(parameter.shape(), parameter.dtype()));
              }
            }
          },
          Free(), py::arg("set_to_none") = true,
          "Forgets the gradients, or, where not set_to_none, makes zeros of those there are.")
      .def_property_readonly("group_count", &Optimizer::group_count)
      .def("get_lr", &Optimizer::lr, py::arg("group") = 0)
      .def("set_lr", py::overload_cast<double>(&Optimizer::set_lr), py::arg("lr"))
      .def("set_lr", py::overload_cast<std::size_t, double>(&Optimizer::set_lr), py::arg("group"),
           py::arg("lr"))
      .def_property(
          "lr", [](const Optimizer& optimizer) { return optimizer.lr(); },
          [](Optimizer& optimizer, double lr) { optimizer.set_lr(lr); })
      .def(
          "state_dict", [](const Optimizer& optimizer) { return dict_of(optimizer.state_dict()); },
          "Rates, steps and state by name; with these and the parameters training goes on to the "
          "same bits.")
      .def(
          "load_state_dict",
          [](Optimizer& optimizer, const py::dict& entries) {
            const io::NamedArrays state = arrays_of(entries);
            const py::gil_scoped_release free;
            optimizer.load_state_dict(state);
          },
          py::arg("state_dict"));
}

void bind_lbfgs(py::module_& m) {
  py::class_<LBFGS, Optimizer, std::shared_ptr<LBFGS>>(m, "LBFGS")
      .def(py::init([](const py::object& params, double lr, Index max_iter,
                       std::optional<Index> max_eval, double grad, double change, Index history,
                       std::optional<LineSearch> search) {
             return std::make_shared<LBFGS>(
                 tensors_of(params),
                 LBFGSOptions{.lr = lr,
                              .max_iter = max_iter,
                              .max_eval = max_eval.value_or(-1),
                              .tolerance_grad = grad,
                              .tolerance_change = change,
                              .history_size = history,
                              .line_search = search.value_or(LineSearch::none)});
           }),
           py::arg("params"), py::arg("lr") = 1, py::arg("max_iter") = 20,
           py::arg("max_eval") = py::none(), py::arg("tolerance_grad") = 1e-7,
           py::arg("tolerance_change") = 1e-9, py::arg("history_size") = 100,
           py::arg("line_search_fn") = py::none())
      .def(
          "step",
          [](LBFGS& optimizer, const py::function& closure) {
            const auto loss = [held = Held(closure)] {
              const py::gil_scoped_acquire lock;
              Tensor found = held()().cast<Tensor>();
              check_signals();
              return found;
            };
            const py::gil_scoped_release free;
            return optimizer.step(loss);
          },
          py::arg("closure"),
          "closure() forgets the gradients, computes the loss, calls backward() and returns it.");
}

void bind_averages(py::module_& m) {
  py::class_<EMA>(m, "EMA",
                  "Exponential averages of weights, which swap() puts in the parameters' place.")
      .def(py::init([](const py::object& params, double decay, bool warm_up) {
             return std::make_unique<EMA>(tensors_of(params), decay, warm_up);
           }),
           py::arg("params"), py::arg("decay"), py::arg("warm_up") = false)
      .def("update", &EMA::update, Free())
      .def("swap", &EMA::swap, Free())
      .def_property_readonly("swapped", &EMA::swapped)
      .def("state_dict", [](const EMA& ema) { return dict_of(ema.state_dict()); })
      .def(
          "load_state_dict",
          [](EMA& ema, const py::dict& entries) { ema.load_state_dict(arrays_of(entries)); },
          py::arg("state_dict"));
  m.def(
      "clip_grad_norm_",
      [](const py::object& params, double most, double p, bool strict) {
        const auto tensors = one_or_more(params);
        const py::gil_scoped_release free;
        return clip_grad_norm(tensors, most, p, strict);
      },
      py::arg("parameters"), py::arg("max_norm"), py::arg("norm_type") = 2,
      py::arg("error_if_nonfinite") = false,
      "Scales all gradients so that their norm together is at most max_norm; gives what it was.");
  m.def(
      "clip_grad_value_",
      [](const py::object& params, double limit) {
        const auto tensors = one_or_more(params);
        const py::gil_scoped_release free;
        clip_grad_value(tensors, limit);
      },
      py::arg("parameters"), py::arg("clip_value"));
}

}  // namespace

void bind_optim(py::module_& m) {
  bind_base(m);
  using S = SGDOptions;
  bind_optimizer<SGD>(
      m, "SGD",
      {field("lr", &S::lr), field("momentum", &S::momentum), field("dampening", &S::dampening),
       field("weight_decay", &S::weight_decay), field("nesterov", &S::nesterov)});
  using A = AdamOptions;
  bind_optimizer<Adam>(m, "Adam",
                       {field("lr", &A::lr), field("betas", &A::betas), field("eps", &A::eps),
                        field("weight_decay", &A::weight_decay)});
  using W = AdamWOptions;
  bind_optimizer<AdamW>(m, "AdamW",
                        {field("lr", &W::lr), field("betas", &W::betas), field("eps", &W::eps),
                         field("weight_decay", &W::weight_decay)});
  using L = LionOptions;
  bind_optimizer<Lion>(
      m, "Lion",
      {field("lr", &L::lr), field("betas", &L::betas), field("weight_decay", &L::weight_decay)});
  using R = RMSpropOptions;
  bind_optimizer<RMSprop>(m, "RMSprop",
                          {field("lr", &R::lr), field("alpha", &R::alpha), field("eps", &R::eps),
                           field("weight_decay", &R::weight_decay), field("momentum", &R::momentum),
                           field("centered", &R::centered)});
  using G = AdagradOptions;
  bind_optimizer<Adagrad>(
      m, "Adagrad",
      {field("lr", &G::lr), field("lr_decay", &G::lr_decay),
       field("weight_decay", &G::weight_decay),
       field("initial_accumulator_value", &G::initial_accumulator_value), field("eps", &G::eps)});
  using D = AdadeltaOptions;
  bind_optimizer<Adadelta>(m, "Adadelta",
                           {field("lr", &D::lr), field("rho", &D::rho), field("eps", &D::eps),
                            field("weight_decay", &D::weight_decay)});
  bind_lbfgs(m);
  bind_averages(m);
}

}  // namespace heed::python
