#include "lbfgs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "../core/faults.h"
#include "../core/kernels/elementwise/copy.h"
#include "../core/quoted.h"
#include "check_option.h"
#include "gradient_runs.h"
#include "line_search.h"

namespace heed::optim {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// a += factor b
void add_into(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

// NaN where there is one: it is below no tolerance.
double largest(const std::vector<double>& a) {
  double most = 0;
  for (const double value : a) {
    if (std::isnan(value)) return value;
    most = std::max(most, std::abs(value));
  }
  return most;
}

constexpr double kLeastBracket = 1e-9;  // of a search, PyTorch's whatever the tolerances

}  // namespace

// Until keep() is called, puts parameters and state back to what they were.
class LBFGS::Undo {
 public:
  explicit Undo(LBFGS& optimizer) : optimizer_(optimizer), state_(optimizer.state_) {
    for (const Slot& slot : optimizer.slots()) {
      const Array& numbers = slot.parameter.array();
      places_.emplace_back(numbers, numbers.clone());
    }
  }
  ~Undo() {
    if (kept_) return;
    for (auto& [place, numbers] : places_) {
      kernels::copy_into(place, numbers);
      place.bump_version();
    }
    optimizer_.state_ = std::move(state_);
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  void keep() { kept_ = true; }

 private:
  LBFGS& optimizer_;
  State state_;
  std::vector<std::pair<Array, Array>> places_;
  bool kept_ = false;
};

LBFGS::LBFGS(const std::vector<Tensor>& parameters, const LBFGSOptions& options)
    : Optimizer("LBFGS"), options_(options) {
  check_not_negative("LBFGS", "tolerance_grad", options.tolerance_grad);
  check_not_negative("LBFGS", "tolerance_change", options.tolerance_change);
  if (options.max_iter < 1 || options.history_size < 1 || options.max_eval < -1) {
    throw ValueError(
        fmt::format("LBFGS: max_iter {} and history_size {} must be positive, max_eval {} not "
                    "below -1",
                    options.max_iter, options.history_size, options.max_eval));
  }
  add_group(parameters, options.lr, {});
  if (options_.max_eval == -1) {  // max_iter 5 / 4, as far as an Index goes
    const Index most = std::numeric_limits<Index>::max();
    options_.max_eval = options.max_iter + std::min(options.max_iter / 4, most - options.max_iter);
  }
}

Index LBFGS::count() const {
  Index count = 0;
  for (const Slot& slot : slots()) count += slot.parameter.numel();
  return count;
}

void LBFGS::check_count(std::size_t count) const {
  if (state_.iterations == 0 || count == state_.direction.size()) return;
  throw ShapeError(fmt::format("LBFGS: the parameters became {} numbers, the state is of {}", count,
                               state_.direction.size()));
}

LBFGS::Vector LBFGS::numbers() const {
  Vector out;
  for (const Slot& slot : slots()) {
    const auto values = slot.parameter.array().to(DType::f64).to_vector<double>();
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

LBFGS::Vector LBFGS::gradients() const {
  Vector out;
  for (const Slot& slot : slots()) {
    check_gradient("LBFGS", slot.parameter);
    const Tensor gradient = slot.parameter.grad();
    if (!gradient.defined()) {
      out.resize(out.size() + static_cast<std::size_t>(slot.parameter.numel()));
      continue;
    }
    const auto values = gradient.array().to(DType::f64).to_vector<double>();
    out.insert(out.end(), values.begin(), values.end());
  }
  check_count(out.size());
  return out;
}

void LBFGS::move(Vector from, double t) {
  add_into(from, t, state_.direction);
  std::vector<Array> pieces;  // all of them before the first is written
  auto at = from.begin();
  for (const Slot& slot : slots()) {
    const auto end = at + slot.parameter.numel();
    pieces.push_back(
        Array::from(Vector(at, end), slot.parameter.shape()).to(slot.parameter.dtype()));
    at = end;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Array to = slots()[i].parameter.array();
    kernels::copy_into(to, pieces[i]);
    to.bump_version();
  }
  state_.step = t;
}

void LBFGS::turn(const Vector& gradient) {
  State& state = state_;
  Vector d(gradient.size());
  add_into(d, -1, gradient);
  if (++state.iterations == 1) {
    state.direction = std::move(d);
    return;
  }
  Vector y = gradient;
  add_into(y, -1, state.gradient);
  Vector s(d.size());
  add_into(s, state.step, state.direction);
  const double curvature = dot(y, s);
  if (curvature > 1e-10) {
    if (static_cast<Index>(state.changes.size()) == options_.history_size) {
      state.changes.pop_front();
    }
    state.scale = curvature / dot(y, y);
    state.changes.push_back(std::make_shared<const Change>(Change{std::move(s), std::move(y)}));
  }
  // Two loops: from the newest change to the oldest, and back.
  Vector shares(state.changes.size());
  for (std::size_t i = state.changes.size(); i-- > 0;) {
    const Change& change = *state.changes[i];
    shares[i] = dot(change.s, d) / dot(change.y, change.s);
    add_into(d, -shares[i], change.y);
  }
  for (double& value : d) value *= state.scale;
  for (std::size_t i = 0; i < state.changes.size(); ++i) {
    const Change& change = *state.changes[i];
    const double share = dot(change.y, d) / dot(change.y, change.s);
    add_into(d, shares[i] - share, change.s);
  }
  state.direction = std::move(d);
}

LBFGS::Place LBFGS::look(const Loss& loss, const Vector& from, double t) {
  move(from, t);
  const double value = loss().item();
  Vector gradient = gradients();
  const double slope = dot(gradient, state_.direction);
  return {t, value, slope, std::move(gradient)};
}

LBFGS::Place LBFGS::search(const Loss& loss, const Vector& from, const Place& start, double t,
                           Index& evals) {
  // The gradients of the places looked at: the one that is taken is among the last few.
  std::vector<std::pair<double, Vector>> gradients = {{0, start.gradient}};
  const auto line = [&](double at) -> LinePlace {
    Place place = look(loss, from, at);
    ++evals;
    gradients.emplace_back(at, std::move(place.gradient));
    return {at, place.loss, place.slope};
  };
  const LinePlace found =
      strong_wolfe(line, {0, start.loss, start.slope}, t, largest(state_.direction), kLeastBracket);
  const auto known = std::find_if(gradients.rbegin(), gradients.rend(),
                                  [&](const auto& entry) { return entry.first == found.t; });
  return {found.t, found.loss, found.slope, known->second};
}

double LBFGS::step(const Loss& loss) {
  if (!loss) throw ValueError("LBFGS: step: the loss is empty");
  check_count(static_cast<std::size_t>(count()));
  const EnableGrad scope;
  const double first = loss().item();
  Index evals = 1;
  Place now{0, first, 0, gradients()};
  if (largest(now.gradient) <= options_.tolerance_grad) return first;
  Undo undo(*this);
  for (Index i = 1; i <= options_.max_iter; ++i) {
    turn(now.gradient);
    const double before = now.loss;
    double size = 0;
    for (const double value : now.gradient) size += std::abs(value);
    double t = state_.iterations == 1 ? std::min(1.0, 1 / size) * lr() : lr();
    state_.gradient = now.gradient;
    now.slope = dot(now.gradient, state_.direction);
    state_.step = t;
    if (now.slope > -options_.tolerance_change) break;
    const Vector place = numbers();
    if (options_.line_search == LineSearch::strong_wolfe) {
      now = search(loss, place, now, t, evals);
      t = now.t;
      move(place, t);
    } else if (i < options_.max_iter) {
      now = look(loss, place, t);
      ++evals;
    } else {  // nobody looks from there
      move(place, t);
      break;
    }
    if (i == options_.max_iter || evals >= options_.max_eval) break;
    if (largest(now.gradient) <= options_.tolerance_grad) break;
    if (largest(state_.direction) * std::abs(t) <= options_.tolerance_change) break;
    if (std::abs(now.loss - before) < options_.tolerance_change) break;
  }
  undo.keep();
  return first;
}

void LBFGS::step() {
  throw GradError("LBFGS: a step wants the loss: step([&] { .. loss.backward(); return loss; })");
}

NamedArrays LBFGS::state_dict() const {
  NamedArrays out = Optimizer::state_dict();
  if (state_.iterations == 0) return out;
  const Index n = count();
  const auto rows = [&](Vector Change::*of) {
    Vector all;
    for (const auto& change : state_.changes) {
      const Vector& row = (*change).*of;
      all.insert(all.end(), row.begin(), row.end());
    }
    return Array::from(all, {static_cast<Index>(state_.changes.size()), n});
  };
  out.emplace_back("lbfgs.iterations", Array::from(std::vector<Index>{state_.iterations}, {}));
  out.emplace_back("lbfgs.step", Array::full({}, state_.step, DType::f64));
  out.emplace_back("lbfgs.scale", Array::full({}, state_.scale, DType::f64));
  out.emplace_back("lbfgs.direction", Array::from(state_.direction));
  out.emplace_back("lbfgs.gradient", Array::from(state_.gradient));
  out.emplace_back("lbfgs.s", rows(&Change::s));
  out.emplace_back("lbfgs.y", rows(&Change::y));
  return out;
}

void LBFGS::load_state_dict(const NamedArrays& entries) {
  NamedArrays rest, own;
  for (const auto& entry : entries) {
    (entry.first.starts_with("lbfgs.") ? own : rest).push_back(entry);
  }
  State loaded;
  Faults faults;
  const Index n = count();
  const auto take = [&](const char* name, DType dtype, Index rank, Index last) {
    const auto found = std::find_if(own.begin(), own.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == own.end()) {
      faults.add(fmt::format("\"{}\" is missing", name));
      return Array();
    }
    Array array = found->second;
    own.erase(found);
    if (array.defined() && array.dtype() == dtype && array.rank() == rank &&
        (rank == 0 || array.size(-1) == last)) {
      return array;
    }
    faults.add(fmt::format("\"{}\" is {}", name, describe(array)));
    return Array();
  };
  if (!own.empty()) {
    const Array iterations = take("lbfgs.iterations", DType::i64, 0, 0);
    const Array step = take("lbfgs.step", DType::f64, 0, 0);
    const Array scale = take("lbfgs.scale", DType::f64, 0, 0);
    const Array direction = take("lbfgs.direction", DType::f64, 1, n);
    const Array gradient = take("lbfgs.gradient", DType::f64, 1, n);
    const Array s = take("lbfgs.s", DType::f64, 2, n);
    const Array y = take("lbfgs.y", DType::f64, 2, n);
    for (const auto& entry : own)
      faults.add(fmt::format("{} is unexpected", in_quotes(entry.first)));
    if (faults.empty() && (!(s.shape() == y.shape()) || s.size(0) > options_.history_size)) {
      faults.add(fmt::format("\"lbfgs.s\" is {} beside {}, of at most {} rows", describe(s),
                             describe(y), options_.history_size));
    }
    if (faults.empty() && *iterations.data<Index>() < 1)
      faults.add("\"lbfgs.iterations\" is below 1");
    if (!faults.empty()) {
      throw ValueError(fmt::format("LBFGS: the entries do not fit: {}", faults.text()));
    }
    loaded.iterations = *iterations.data<Index>();
    loaded.step = step.item();
    loaded.scale = scale.item();
    loaded.direction = direction.to_vector<double>();
    loaded.gradient = gradient.to_vector<double>();
    for (Index i = 0; i < s.size(0); ++i) {
      loaded.changes.push_back(std::make_shared<const Change>(
          Change{s.select(0, i).to_vector<double>(), y.select(0, i).to_vector<double>()}));
    }
  }
  Optimizer::load_state_dict(rest);
  state_ = std::move(loaded);
}

}  // namespace heed::optim
