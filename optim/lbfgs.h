// L-BFGS (Liu & Nocedal 1989): steps along -H g, where H approximates the inverse of the Hessian by
// the last `history_size` changes of parameters (s) and gradients (y), with PyTorch's options and
// rules:
//
//   optim::LBFGS optimizer(model.parameters(), {.line_search = optim::LineSearch::strong_wolfe});
//   optimizer.step([&] {
//     optimizer.zero_grad();
//     Tensor loss = mse_loss(model(x), y);
//     loss.backward();
//     return loss;
//   });
//
// A step asks for the loss several times. It wants the whole data, or nearly: gradients of small
// batches spoil what it remembers. All vectors are held as doubles.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "optimizer.h"

namespace heed::optim {

enum class LineSearch : std::uint8_t { none, strong_wolfe };

struct LBFGSOptions {
  double lr = 1;
  Index max_iter = 20;           ///< directions a step
  Index max_eval = -1;           ///< losses a step; -1: max_iter 5 / 4
  double tolerance_grad = 1e-7;  ///< ends where no gradient is larger
  double tolerance_change = 1e-9;
  Index history_size = 100;
  LineSearch line_search = LineSearch::none;
};

class LBFGS final : public Optimizer {
 public:
  using Loss = std::function<Tensor()>;

  /// One group. Throws ValueError for options that make no sense, and as Optimizer::add_group().
  explicit LBFGS(const std::vector<Tensor>& parameters, const LBFGSOptions& options = {});
  template <std::floating_point T>
  LBFGS(const std::vector<Tensor>& parameters, T lr) : LBFGS(parameters, LBFGSOptions{.lr = lr}) {}

  /// `loss` forgets the gradients, computes the loss, calls backward() and returns it. Gives the
  /// loss before the step. Where loss() throws or memory is out, parameters and state are as before
  /// it. Throws ShapeError where the parameters have become more or fewer numbers since the last
  /// step.
  double step(const Loss& loss);
  /// Throws GradError: a step wants the loss.
  void step() override;

  /// Of Optimizer, and "lbfgs.iterations", "lbfgs.step", "lbfgs.scale", "lbfgs.direction" [n],
  /// "lbfgs.gradient" [n], "lbfgs.s" and "lbfgs.y" [m, n] of the n parameters, f64.
  NamedArrays state_dict() const override;
  void load_state_dict(const NamedArrays& entries) override;

 private:
  using Vector = std::vector<double>;
  /// A place on the line of the search: x + t d.
  struct Place {
    double t, loss, slope;
    Vector gradient;
  };
  /// How parameters and gradients changed.
  struct Change {
    Vector s, y;
  };
  /// What is remembered between steps. Copies share the changes.
  struct State {
    Index iterations = 0;
    double step = 0, scale = 1;
    Vector direction, gradient;
    std::deque<std::shared_ptr<const Change>> changes;
  };
  class Undo;

  void update(Slot&, const Tensor&, Array&) override {}
  Index count() const;
  Vector numbers() const;
  Vector gradients() const;
  /// Throws ShapeError unless there are as many numbers as the state has.
  void check_count(std::size_t count) const;
  /// The parameters to from + t d.
  void move(Vector from, double t);
  /// The next direction, into the state.
  void turn(const Vector& gradient);
  Place look(const Loss& loss, const Vector& from, double t);
  Place search(const Loss& loss, const Vector& from, const Place& start, double t, Index& evals);

  LBFGSOptions options_;
  State state_;
};

}  // namespace heed::optim
