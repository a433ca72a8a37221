#include "algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../attention/biases/alibi.h"
#include "../../attention/biases/gaussian_bias.h"
#include "../../attention/biases/t5_bias.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../nn/init.h"

namespace heed::attention {

const std::vector<std::string> kBiases = {"none", "tensor", "alibi",    "t5",   "gaussian",
                                          "shaw", "sinks",  "soft_cap", "table"};

namespace {

// Of the same numbers every time, whatever came before.
void draw(nn::Module& module, std::uint64_t seed) {
  module.to(DType::f64);
  Generator generator(seed);
  for (const auto& [name, parameter] : module.named_parameters()) {
    if (name.starts_with("log_")) continue;
    nn::normal_(parameter, 0, 0.7, generator);
  }
}

template <class T>
std::unique_ptr<T> drawn(std::unique_ptr<T> module) {
  draw(*module, 5);
  return module;
}

constexpr Index kHidden = 3, kPlaces = 10;
constexpr double kFar = std::numeric_limits<double>::infinity();

bool has_kinks(const std::string& normaliser) {
  return normaliser == "sparsemax" || normaliser == "top_k" || normaliser.starts_with("entmax");
}

// How far a row of scores that may be attended to is from where a place gets or loses all weight.
double distance_of_row(const std::string& normaliser, std::vector<double> scores,
                       const std::vector<double>& weights) {
  if (normaliser == "top_k") {  // from the 2nd largest to the next
    std::sort(scores.rbegin(), scores.rend());
    return scores.size() <= 2 ? kFar : scores[1] - scores[2];
  }
  // w = [(alpha - 1) e - tau]_+^(1 / (alpha - 1)): the largest weight tells tau.
  const double power = normaliser == "sparsemax" ? 1 : normaliser == "entmax" ? 0.5 : 0.3;
  const auto best = std::max_element(weights.begin(), weights.end()) - weights.begin();
  const auto at = static_cast<std::size_t>(best);
  const double tau = power * scores[at] - std::pow(weights[at], power);
  double nearest = kFar;
  for (const double score : scores) nearest = std::min(nearest, std::abs(power * score - tau));
  return nearest;
}

// A normaliser that notes how near to a kink its scores came.
class Watched : public Normaliser {
 public:
  Watched(std::string name, const Normaliser& inner) : name_(std::move(name)), inner_(inner) {}
  mutable double distance = kFar;

  Tensor operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                    Tensor* state) const override {
    const Tensor weights = inner_(scores, allowed, axis, state);
    const auto keys_last = [&](const Tensor& x) { return transpose(x, axis, -1).array(); };
    const auto e = keys_last(scores).to_vector<double>();
    const auto w = keys_last(weights).to_vector<double>();
    std::vector<bool> may(e.size(), true);
    if (allowed.defined()) {
      may = keys_last(expand(allowed, scores.shape())).to_vector<bool>();
    }
    const auto width = static_cast<std::size_t>(scores.size(axis));
    for (std::size_t row = 0; row < e.size(); row += width) {
      std::vector<double> row_scores, row_weights;
      for (std::size_t j = row; j < row + width; ++j) {
        if (!may[j]) continue;
        row_scores.push_back(e[j]);
        row_weights.push_back(w[j]);
      }
      if (row_scores.empty()) continue;
      distance = std::min(distance, distance_of_row(name_, row_scores, row_weights));
    }
    return weights;
  }

 private:
  std::string name_;
  const Normaliser& inner_;
};

}  // namespace

const Registry<std::unique_ptr<Score>, Index> kScores = {
    {"dot", [](Index) { return std::make_unique<Dot>(); }},
    {"scaled_dot", [](Index) { return std::make_unique<ScaledDot>(); }},
    {"general", [](Index d) { return drawn(std::make_unique<General>(d, d)); }},
    {"additive", [](Index d) { return drawn(std::make_unique<Additive>(d, d, kHidden)); }},
    {"additive_bias",
     [](Index d) { return drawn(std::make_unique<Additive>(d, d, kHidden, true)); }},
    {"location_based", [](Index d) { return drawn(std::make_unique<LocationBased>(d, kPlaces)); }},
    {"location_aware",
     [](Index d) {
       return drawn(std::make_unique<LocationAware>(LocationAwareOptions{
           .query_width = d, .key_width = d, .hidden = kHidden, .filters = 2, .kernel = 3}));
     }},
    {"monotonic_energy",
     [](Index d) {
       return drawn(std::make_unique<MonotonicEnergy>(
           MonotonicEnergyOptions{.query_width = d, .key_width = d, .hidden = kHidden}));
     }},
    {"feature_wise",
     [](Index d) { return drawn(std::make_unique<FeatureWise>(d, d, kHidden, d)); }}};

const Registry<std::unique_ptr<Normaliser>> kNormalisers = {
    {"softmax", [] { return std::make_unique<Softmax>(); }},
    {"sparsemax", [] { return std::make_unique<Sparsemax>(); }},
    {"entmax", [] { return std::make_unique<Entmax>(); }},
    {"entmax_learned",
     [] {
       return std::make_unique<Entmax>(
           EntmaxOptions{.alpha = 1.3, .learned = true, .dtype = DType::f64});
     }},
    {"sigmoid", [] { return std::make_unique<Sigmoid>(); }},
    {"normalised_sigmoid", [] { return std::make_unique<NormalisedSigmoid>(); }},
    {"sharpened", [] { return std::make_unique<Temperature>(1.7); }},
    {"sharpened_learned", [] { return std::make_unique<Temperature>(1.7, true, DType::f64); }},
    {"top_k", [] { return std::make_unique<TopK>(2); }},
    {"monotonic", [] { return std::make_unique<Monotonic>(); }},
    {"mocha", [] { return std::make_unique<Mocha>(2); }},
    {"softmax_plus_one", [] { return std::make_unique<SoftmaxPlusOne>(); }}};

const Registry<Mask, Index, Index> kMasks = {
    {"none", [](Index, Index) { return Mask(); }},
    {"causal", [](Index, Index) { return Mask::causal(); }},
    {"window", [](Index, Index) { return Mask::window(1, 1); }},
    {"block", [](Index, Index) { return Mask::block(3); }},
    {"lengths",
     [](Index, Index keys) {
       return Mask::lengths({keys, keys - 2}, keys);
     }},
    {"key_padding",
     [](Index, Index keys) {
       Array real = Array::full(Shape{kB, keys}, 1, DType::boolean);
       real.mutable_data<bool>()[0] = real.mutable_data<bool>()[keys + 1] = false;
       return Mask::key_padding(real);
     }},
    {"boolean",
     [](Index queries, Index keys) {
       Array allowed = Array::full(Shape{kB, queries, keys}, 1, DType::boolean);
       bool* may = allowed.mutable_data<bool>();
       for (Index i = 0; i < allowed.numel(); i += 3) may[i] = false;
       std::fill_n(may + (queries - 1) * keys, keys, false);
       return Mask(allowed);
     }},
    {"causal_and_lengths",
     [](Index, Index keys) {
       return Mask::causal() & Mask::lengths({0, keys - 1}, keys);
     }},
    {"rule",
     [](Index, Index) {
       return Mask::rule([](auto q, auto k) { return k <= q && (q - k) % 3 != 2; });
     }},
    {"either", [](Index, Index) { return Mask::window(0, 0) | !masks::prefix_lm(4); }}};

Tensor allowed(const Mask& mask, Index queries, Index keys) {
  const Shape shape{kB, queries, keys};
  const Tensor may = mask.tensor(shape);
  return may.defined() ? expand(may, shape) : Tensor(Array::full(shape, 1, DType::boolean));
}

bool is_legal(const std::string& score, const std::string& normaliser, const std::string& bias) {
  if (bias != "sinks" && bias != "soft_cap" && bias != "table") return true;
  if (score == "feature_wise" || score == "location_aware") return false;
  return bias != "sinks" ||
         (normaliser != "monotonic" && normaliser != "mocha" && normaliser != "softmax_plus_one");
}

bool sums_to_one(const std::string& normaliser, const std::string& bias) {
  return bias != "sinks" && normaliser != "softmax_plus_one" && normaliser != "sigmoid" &&
         normaliser != "monotonic" && normaliser != "mocha";
}

bool goes_on(const std::string& score, const std::string& normaliser) {
  return score == "location_aware" || normaliser == "monotonic" || normaliser == "mocha";
}

Combination::Combination(const std::string& score_name, const std::string& normaliser_name,
                         const std::string& mask_name, const std::string& bias_name, Index queries,
                         Index count, std::uint64_t seed)
    : score(kScores(score_name, kD)),
      normaliser(kNormalisers(normaliser_name)),
      mask(kMasks(mask_name, queries, count)),
      normaliser_(normaliser_name),
      bias_(bias_name) {
  if (bias_ == "alibi") {
    Tensor slope = tensor({0.3}, {1}, DType::f64);
    positions_ = std::make_unique<Alibi>(slope.set_requires_grad());
  }
  if (bias_ == "t5") {
    positions_ =
        drawn(std::make_unique<T5Bias>(T5Options{.heads = 1, .buckets = 6, .max_distance = 4}));
  }
  if (positions_) {
    for (const auto& [name, leaf] : positions_->named_parameters()) {
      bias_leaves.push_back({bias_ + "." + name, leaf});
    }
  }
  if (bias_ == "shaw") {
    relative = drawn(std::make_unique<RelativePositions>(
        RelativeOptions{.key_width = kD, .value_width = kD, .clip = 1}));
    for (const auto& [name, leaf] : relative->named_parameters()) {
      bias_leaves.push_back({bias_ + "." + name, leaf});
    }
  }
  const auto leaf = [&](const Tensor& x) {
    bias_leaves.push_back({bias_, x});
    return bias_leaves.back().leaf.set_requires_grad();
  };
  if (bias_ == "sinks") sinks = leaf(tensor({0.4, -0.3}, {kB}, DType::f64));
  if (bias_ == "soft_cap") map = maps::soft_cap(leaf(tensor({1.7}, {1}, DType::f64)));
  if (bias_ == "table") {
    map = score_map([](auto s, auto at, auto t) { return s * t(minimum(abs(at.q - at.k), 3)); },
                    as_table(leaf(tensor({0.9, 0.7, 1.2, -0.6}, {4}, DType::f64))));
  }
  constexpr double kMargin = 0.02;
  Generator generator(seed);
  do {
    draw_inputs(generator, queries, count);
  } while (distance_from_kinks() < kMargin);
}

void Combination::draw_inputs(Generator& generator, Index queries, Index count) {
  const auto normal = [&](const Shape& shape) {
    Tensor x(generator.normal(shape, 0, 1, DType::f64));
    return x.set_requires_grad();
  };
  query = normal({kB, queries, kD});
  keys = normal({kB, count, kD});
  values = normal({kB, count, kD});
  if (bias_ == "tensor") bias_leaves = {{"bias", normal({queries, count})}};
  if (bias_ == "gaussian") bias_leaves = {{"centres", normal({kB, queries})}};
}

double Combination::distance_from_kinks() const {
  if (!has_kinks(normaliser_)) return kFar;
  const NoGrad scope;
  const Watched watched(normaliser_, *normaliser);
  Terms with = options(true);
  with.normaliser = &watched;
  attend(*score, query, keys, values, with);
  return watched.distance;
}

Tensor Combination::bias() const {
  if (bias_ == "tensor") return bias_leaves[0].leaf;
  if (bias_ == "gaussian") return gaussian_bias(bias_leaves[0].leaf, keys.size(1), 1.3);
  return Tensor();
}

Tensor Combination::offset_bias() const {
  return positions_ ? positions_->offsets(query.size(1), keys.size(1)) : Tensor();
}

Terms Combination::options(bool need_weights) const {
  return {.normaliser = normaliser.get(),
          .mask = mask,
          .bias = bias(),
          .offset_bias = offset_bias(),
          .relative = relative.get(),
          .map = map,
          .sinks = sinks,
          .need_weights = need_weights};
}

Terms Combination::step_terms(bool need_weights) const {
  return {.normaliser = normaliser.get(), .need_weights = need_weights};
}

std::vector<NamedLeaf> Combination::leaves() const {
  std::vector<NamedLeaf> out = {{"query", query}, {"keys", keys}, {"values", values}};
  for (const auto& [name, leaf] : score->named_parameters()) out.push_back({"score." + name, leaf});
  for (const auto& [name, leaf] : normaliser->named_parameters()) {
    out.push_back({"normaliser." + name, leaf});
  }
  out.insert(out.end(), bias_leaves.begin(), bias_leaves.end());
  return out;
}

}  // namespace heed::attention
