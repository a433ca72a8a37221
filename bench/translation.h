// Translation as examples/translation trains and decodes it, on made-up sentences as long as those
// of Multi30k. Each row's models have their weights from lists in the order of our parameters.
//
//   bahdanau    a training step of its BahdanauModel: batches of 1,000 words at most, of different
//               lengths; dropout, label smoothing, gradients clipped, Adam
//   translator  the same of its TransformerModel (pre-norm, one tied table), 2,048 words at most
//   greedy      1,000 sentences translated by the BahdanauModel, in batches of similar lengths;
//               libtorch's loop always takes 50 steps (one that stops with the longest sentence of
//               the batch needs about a third of the time)
//   beam        200 of them, by a beam of 5
//
// The loss and the gradients' norm that a training row shows are those of steps without dropout,
// taken before all others. Of decoding rows they are two numbers made of all words written. No
// model here has learned where to stop: each sentence is cut at a length given with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "workload.h"

namespace bench::translation {

inline constexpr std::int64_t kPadding = 0, kBegin = 2, kEnd = 3;
inline constexpr std::int64_t kLimit = 50;  // steps of a greedy loop that does not stop
inline constexpr double kDropout = 0.3, kSmoothing = 0.1, kClip = 1, kLearningRate = 1e-3;
inline constexpr double kBeta1 = 0.9, kBeta2 = 0.98, kEpsilon = 1e-9;
inline constexpr int kChecked = 2;  // steps without dropout

using Words = std::vector<std::int64_t>;
struct Pair {
  Words source, target;  ///< the source with its end mark, the target without marks
};
using Batch = std::vector<Pair>;

/// Sentences of 4 to 30 words, 13 on the average, targets up to two words longer or shorter; sorted
/// by the target's length.
inline Batch pairs(std::int64_t count, std::int64_t source_words, std::int64_t target_words) {
  Sequence sequence(1001);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    const auto range = static_cast<std::uint64_t>(high - low);
    return low + static_cast<std::int64_t>((sequence.next() * range) >> 32);
  };
  Batch out(static_cast<std::size_t>(count));
  for (Pair& pair : out) {
    std::int64_t length = 4 + draw(0, 10) + draw(0, 9);
    if (draw(0, 8) == 0) length += draw(0, 9);
    for (std::int64_t i = 0; i < length; ++i) pair.source.push_back(draw(kEnd + 1, source_words));
    pair.source.push_back(kEnd);
    length = std::clamp<std::int64_t>(length + draw(-2, 3), 4, 30);
    for (std::int64_t i = 0; i < length; ++i) pair.target.push_back(draw(kEnd + 1, target_words));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Pair& a, const Pair& b) { return a.target.size() < b.target.size(); });
  return out;
}

/// The pairs, in their order, cut where rows times the longest target, its end mark included, would
/// come to more than `tokens`.
inline std::vector<Batch> batches(const Batch& pairs, std::size_t tokens) {
  std::vector<Batch> out;
  for (const Pair& pair : pairs) {
    const std::size_t width = pair.target.size() + 1;
    if (out.empty() || (out.back().size() + 1) * width > tokens) out.emplace_back();
    out.back().push_back(pair);
  }
  return out;
}

/// Words read and written in training, end marks among them, and scores between the two; of each
/// step on the average. Padding, which is no work, is left out.
struct Load {
  double read = 0, written = 0, read_pairs = 0, written_pairs = 0, looks = 0;
};
inline Load load(const std::vector<Batch>& cycle) {
  Load out;
  const double steps = static_cast<double>(cycle.size());
  for (const Batch& batch : cycle) {
    for (const Pair& pair : batch) {
      const double read = static_cast<double>(pair.source.size());
      const double written = static_cast<double>(pair.target.size()) + 1;
      out.read += read / steps, out.written += written / steps;
      out.read_pairs += read * read / steps, out.written_pairs += written * written / steps;
      out.looks += read * written / steps;
    }
  }
  return out;
}

}  // namespace bench::translation

namespace bench::bahdanau {

using translation::Batch, translation::Pair, translation::Words;

inline constexpr std::int64_t kSourceWords = 5921, kTargetWords = 7859;
inline constexpr std::int64_t kWidth = 256, kHidden = 256;
inline constexpr std::int64_t kState = 2 * kHidden;  // both directions
inline constexpr std::int64_t kInput = kWidth + kState, kReadoutInput = kHidden + kInput;
inline constexpr std::int64_t kSentences = 1000, kBatch = 100, kBeam = 5;

inline Weights weights() {
  Weights out = {{"tables.source_words.weight", kSourceWords, kWidth, 0.1f},
                 {"tables.target_words.weight", kTargetWords, kWidth, 0.1f}};
  add_linear(out, "tables.out", kHidden, kTargetWords);
  add_recurrent(out, "encoder.", "_l0", kWidth, kHidden, 3 * kHidden);
  add_recurrent(out, "encoder.", "_l0_reverse", kWidth, kHidden, 3 * kHidden);
  add_linear(out, "decoder.initial", kHidden, kHidden);
  out.push_back({"decoder.score.score_vector", kHidden, 0, 0.1f});
  out.push_back({"decoder.score.query_projection.weight", kHidden, kHidden, 0.06f});
  out.push_back({"decoder.score.key_projection.weight", kHidden, kState, 0.06f});
  add_recurrent(out, "decoder.cell.", "", kInput, kHidden, 3 * kHidden);
  add_linear(out, "decoder.readout.linear", kReadoutInput, 2 * kHidden);
  return out;
}

/// Of the training row.
inline std::vector<Batch> cycle() {
  return translation::batches(translation::pairs(420, kSourceWords, kTargetWords), 1000);
}

/// Of the decoding rows: batches of a hundred sources of similar lengths. Each is given as many
/// words as its target has.
inline std::vector<Batch> sources(bool all) {
  Batch sorted = translation::pairs(kSentences, kSourceWords, kTargetWords);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Pair& a, const Pair& b) { return a.source.size() < b.source.size(); });
  std::vector<Batch> out;
  for (auto first = sorted.begin(); first != sorted.end(); first += kBatch) {
    out.emplace_back(first, first + kBatch);
  }
  return all ? out : std::vector<Batch>{out[2], out[7]};
}

/// What a decoding row shows of the texts written, each of which counts as much.
class Digest {
 public:
  void add(const Words& words) {
    std::uint64_t hash = 1;
    for (const std::int64_t word : words) {
      hash = Sequence(hash + static_cast<std::uint64_t>(word)).next();
    }
    Sequence numbers(hash);
    first_ += numbers.next() * 0x1p-32;
    second_ += numbers.next() * 0x1p-32;
  }
  double first() const { return first_; }
  double second() const { return second_; }

 private:
  double first_ = 0, second_ = 0;
};

/// Floating-point operations of the matrix products in a training step.
inline double flops() {
  const translation::Load load = translation::load(cycle());
  return 2 * trained_product(load.read, kWidth + kHidden, 3 * kHidden) +
         trained_product(load.read, kState, kHidden) +
         trained_product(load.written, kHidden, kHidden) +
         trained_product(load.looks, 1, kHidden + kState) +
         trained_product(load.written, kInput + kHidden, 3 * kHidden) +
         trained_product(load.written, kReadoutInput, 2 * kHidden) +
         trained_product(load.written, kHidden, kTargetWords);
}

/// And in translating.
inline double decoding_flops(bool all) {
  const double beam = all ? 1 : kBeam;
  double out = 0;
  for (const Batch& batch : sources(all)) {
    for (const Pair& pair : batch) {
      const double read = static_cast<double>(pair.source.size());
      const double written = beam * static_cast<double>(pair.target.size());
      out += 2 * read * (2 * (kWidth + kHidden) * 3 * kHidden + kState * kHidden) +
             2 * written *
                 (kHidden * kHidden + read * (kHidden + kState) + (kInput + kHidden) * 3 * kHidden +
                  kReadoutInput * 2 * kHidden + kHidden * kTargetWords);
    }
  }
  return out;
}

}  // namespace bench::bahdanau

namespace bench::translator {

using translation::Batch;

inline constexpr std::int64_t kVocabulary = 8000, kWidth = 128, kHidden = 256;
inline constexpr std::int64_t kLayers = 4, kHeads = 4;

inline void add_norm(Weights& to, const std::string& name) {
  to.push_back({name + ".weight", kWidth, 0, 0.1f, 1.0f});
  to.push_back({name + ".bias", kWidth, 0, 0.1f});
}
inline void add_attention(Weights& to, const std::string& name) {
  to.push_back({name + ".in_proj_weight", 3 * kWidth, kWidth, 0.08f});
  to.push_back({name + ".in_proj_bias", 3 * kWidth, 0, 0.08f});
  add_linear(to, name + ".out_proj", kWidth, kWidth);
}

inline Weights weights() {
  Weights out = {{"tables.source_words.weight", kVocabulary, kWidth, 0.15f},
                 {"tables.out.bias", kVocabulary, 0, 0.1f}};
  for (const std::string stack : {"encoder", "decoder"}) {
    for (std::int64_t i = 0; i < kLayers; ++i) {
      const std::string layer = "layers." + stack + ".layers." + std::to_string(i);
      add_attention(out, layer + ".self_attn");
      if (stack == "decoder") add_attention(out, layer + ".multihead_attn");
      add_linear(out, layer + ".linear1", kWidth, kHidden);
      add_linear(out, layer + ".linear2", kHidden, kWidth);
      for (const std::string norm : {".norm1", ".norm2"}) add_norm(out, layer + norm);
      if (stack == "decoder") add_norm(out, layer + ".norm3");
    }
    add_norm(out, "layers." + stack + ".norm");
  }
  return out;
}

inline std::vector<Batch> cycle() {
  return translation::batches(translation::pairs(620, kVocabulary, kVocabulary), 2048);
}

/// Floating-point operations of the matrix products in a step.
inline double flops() {
  const translation::Load load = translation::load(cycle());
  const auto projected = [](double rows, double count) {
    return trained_product(rows, kWidth, count * kWidth);
  };
  const auto looked = [](double pairs) { return 2 * trained_product(pairs, 1, kWidth); };
  const auto inner = [](double rows) { return 2 * trained_product(rows, kWidth, kHidden); };
  return kLayers *
             (projected(load.read, 4) + looked(load.read_pairs) + inner(load.read) +
              projected(load.written, 4) + looked(load.written_pairs) + projected(load.written, 2) +
              projected(load.read, 2) + looked(load.looks) + inner(load.written)) +
         trained_product(load.written, kWidth, kVocabulary);
}

}  // namespace bench::translator
