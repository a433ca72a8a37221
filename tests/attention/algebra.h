// Every legal combination of score, normaliser, mask and bias, as the tests go through them: small,
// in f64, with learned parts drawn at random.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/gradcheck.h"
#include "../../core/generator.h"
#include "../support/registry.h"

namespace heed::attention {

inline constexpr Index kB = 2, kQ = 3, kK = 5, kD = 2;  // kD of queries, keys and values

/// Of queries and keys of this width.
extern const Registry<std::unique_ptr<Score>, Index> kScores;
extern const Registry<std::unique_ptr<Normaliser>> kNormalisers;
/// For that many queries and keys of a batch of kB.
extern const Registry<Mask, Index, Index> kMasks;
extern const std::vector<std::string> kBiases;

/// Maps and sinks stand beside one score a place, of queries that know nothing of each other.
bool is_legal(const std::string& score, const std::string& normaliser, const std::string& bias);
/// Calls look(normaliser, mask, bias, name) for all that a score goes with, these biases only.
template <class Look>
void each_beside(const std::string& score, const std::vector<std::string>& biases,
                 const Look& look) {
  for (const std::string& normaliser : kNormalisers) {
    for (const std::string& mask : kMasks) {
      for (const std::string& bias : biases) {
        if (!is_legal(score, normaliser, bias)) continue;
        look(normaliser, mask, bias, normaliser + " x " + mask + " x " + bias);
      }
    }
  }
}
/// bool [B, Q, K]: who may attend to whom.
Tensor allowed(const Mask& mask, Index queries, Index keys);

/// Whether the weights of a row that may attend to something sum to 1.
bool sums_to_one(const std::string& normaliser, const std::string& bias);
/// Whether what a query gets depends on the queries before it.
bool goes_on(const std::string& score, const std::string& normaliser);

/// One of them, with queries, keys and values such that no score lies near a kink of the
/// normaliser: they are drawn again until it is so, whatever the seed.
struct Combination {
  Combination(const std::string& score, const std::string& normaliser, const std::string& mask,
              const std::string& bias, Index queries = kQ, Index keys = kK,
              std::uint64_t seed = 13);

  std::unique_ptr<Score> score;
  std::unique_ptr<Normaliser> normaliser;
  Mask mask;
  ScoreMap map;                                 ///< of the biases "soft_cap" and "table"
  Tensor sinks;                                 ///< of the bias "sinks"
  std::unique_ptr<RelativePositions> relative;  ///< of the bias "shaw"
  std::vector<NamedLeaf> bias_leaves;
  Tensor query, keys, values;

  Attended operator()(bool need_weights) const {
    return attend(*score, query, keys, values, options(need_weights));
  }
  Terms options(bool need_weights) const;
  /// Steps of a sequence: keys and values once, under the mask.
  Memory memory(const Tensor& own_keys) const { return {*score, own_keys, values, mask}; }
  /// What a step of it adds.
  Terms step_terms(bool need_weights) const;
  /// query, keys, values and all that is learned.
  std::vector<NamedLeaf> leaves() const;

 private:
  void draw_inputs(Generator& generator, Index queries, Index count);
  double distance_from_kinks() const;
  Tensor bias() const;
  Tensor offset_bias() const;
  std::string normaliser_, bias_;
  std::unique_ptr<OffsetBias> positions_;
};

}  // namespace heed::attention
