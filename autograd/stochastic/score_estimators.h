// Score-function estimators: f(b) grad log p(b), less a baseline. The cost f may be any black box;
// its own gradient, where it has one, is added. Correct at any order (create_graph).
#pragma once

#include "baselines.h"
#include "estimator.h"

namespace heed {

/// No baseline (Williams 1992).
class Reinforce final : public Estimator {
 public:
  const char* name() const override { return "REINFORCE"; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;
};

/// The baseline is the moving average of the costs so far.
class MovingAverageReinforce final : public Estimator {
 public:
  explicit MovingAverageReinforce(double decay = 0.9) : average_(decay) {}
  const char* name() const override { return "moving average"; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  MovingAverage average_;
};

/// The baseline is a prediction from the inputs, shaped as the cost, trained on the squared error
/// (Mnih & Gregor 2014, NVIL). `predict` is called once an estimate; it must not see the choices.
class LearnedBaseline final : public Estimator {
 public:
  LearnedBaseline(std::function<Tensor()> predict, std::vector<Tensor> parameters);
  const char* name() const override { return "learned baseline"; }
  std::vector<Tensor> parameters() const override { return parameters_; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  std::function<Tensor()> predict_;
  std::vector<Tensor> parameters_;
};

/// K samples, each one's baseline the mean cost of the others (Kool 2019; Mnih & Rezende 2016).
class LeaveOneOut final : public Estimator {
 public:
  /// Throws ValueError unless samples > 1.
  explicit LeaveOneOut(Index samples);
  const char* name() const override { return "leave one out"; }
  Index evaluations() const override { return samples_; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  Index samples_;
};

/// The baseline is the cost of the most likely choices (Rennie 2017).
class SelfCritical final : public Estimator {
 public:
  const char* name() const override { return "self-critical"; }
  Index evaluations() const override { return 2; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;
};

/// The baseline is the cost of soft choices, the weights that are drawn from: of attention, that of
/// soft attention (Deng 2018, section 3.1, whose weights are the prior's). The cost takes weights.
class SoftBaseline final : public Estimator {
 public:
  const char* name() const override { return "soft baseline"; }
  Index evaluations() const override { return 2; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;
};

/// Another aim: the bound of K samples, -log(mean_k exp(-f_k)), f the negative log-likelihood; each
/// sample's baseline is the bound with its own term replaced by the geometric mean of the others'
/// (Mnih & Rezende 2016, VIMCO).
class Vimco final : public Estimator {
 public:
  /// Throws ValueError unless samples > 1.
  explicit Vimco(Index samples);
  const char* name() const override { return "VIMCO"; }
  Index evaluations() const override { return samples_; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  Index samples_;
};

/// -log(mean_k exp(-cost_k)) over the first axis: what Vimco makes small.
Tensor multi_sample_bound(const Tensor& cost);

}  // namespace heed
