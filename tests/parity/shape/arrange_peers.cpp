#include "../../../autograd/ops/shape/arrange.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/unfold.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Sizes = std::vector<Index>;
const Sizes kBlock = {2, 7, 5};

void joins(std::vector<Peer>& out) {
  for (const Index axis : {1, -1}) {
    out.push_back(same("concat", {{2, 3}, {2, 5}, {2, 1}, {2, 0}},
                       [axis](auto& x) { return concat(x, axis); }));
  }
  for (const Index axis : {0, 1, -1}) {
    out.push_back(same("stack", {{2, 3}, {2, 3}}, [axis](auto& x) { return stack(x, axis); }));
  }
  const Sizes lengths = {1, 0, 4, 2};
  for (std::size_t piece = 0; piece < lengths.size(); ++piece) {
    out.push_back(peer(
        "split", {kBlock}, [=](H x) { return split(x[0], lengths, 1)[piece]; },
        [=](T x) { return torch::split_with_sizes(x[0], lengths, 1)[piece]; }));
  }
  // Several pieces take part in one result.
  out.push_back(same("split", {kBlock}, [](auto& x) {
    const auto pieces = split(x[0], Index{3}, 1);
    return pieces[0] * pieces[1] + pieces[2];
  }));
  for (const Index count : {1, 2, 3, 5}) {
    out.push_back(same("chunk", {kBlock}, [=](auto& x) { return chunk(x[0], count, 1).back(); }));
    out.push_back(same("chunk", {kBlock}, [=](auto& x) { return chunk(x[0], count, -1)[0]; }));
  }
}

void orders(std::vector<Peer>& out) {
  for (const Sizes& axes : {Sizes{0}, {-1}, {0, 2}, {2, 1, 0}, {}}) {
    out.push_back(same("flip", {kBlock}, [axes](auto& x) { return flip(x[0], axes); }));
  }
  for (const auto& [shifts, axes] : std::vector<std::pair<Sizes, Sizes>>{
           {{3}, {1}}, {{-9}, {-1}}, {{1, -2}, {0, 1}}, {{3, 5}, {1, 1}}, {{11}, {}}, {{0}, {0}}}) {
    out.push_back(same("roll", {kBlock}, [shifts = shifts, axes = axes](auto& x) {
      return roll(x[0], shifts, axes);
    }));
  }
  for (const Sizes& repeats : {Sizes{2, 3}, {3, 1, 2}, {1, 1}, {0, 2}}) {
    out.push_back(peer(
        "repeat", {{3, 5}}, [repeats](H x) { return repeat(x[0], repeats); },
        [repeats](T x) { return x[0].repeat(repeats); }));
    out.push_back(same("tile", {kBlock}, [repeats](auto& x) { return tile(x[0], repeats); }));
  }
  for (const Index axis : {0, 1, -1}) {
    out.push_back(same("repeat_interleave", {kBlock},
                       [axis](auto& x) { return repeat_interleave(x[0], 3, axis); }));
  }
}

Peer padded(const std::string& name, const Sizes& shape, const Sizes& pads, PadMode ours,
            const torch::nn::functional::PadFuncOptions::mode_t& theirs, double value = 0) {
  return peer(
      name, {shape}, [=](H x) { return pad(x[0], pads, ours, value); },
      [=](T x) {
        const auto options = torch::nn::functional::PadFuncOptions(pads).mode(theirs).value(value);
        return torch::nn::functional::pad(x[0], options);
      });
}

void pads(std::vector<Peer>& out) {
  for (const Sizes& pads : {Sizes{1, 2}, {0, 0, 2, 1}, {-1, 2, 0, -3, 1, 1}, {-2, -2}, {}}) {
    out.push_back(padded("pad", kBlock, pads, PadMode::constant, torch::kConstant));
    out.push_back(padded("pad", kBlock, pads, PadMode::constant, torch::kConstant, 0.75));
  }
  // Theirs pad the last axes of ranks 3 to 5 alone.
  for (const Sizes& pads : {Sizes{1, 2}, {4, 0}, {0, 3}}) {
    out.push_back(padded("pad_reflect", kBlock, pads, PadMode::reflect, torch::kReflect));
    out.push_back(padded("pad_replicate", kBlock, pads, PadMode::replicate, torch::kReplicate));
  }
  const Sizes planes = {2, 3, 7, 5};
  for (const Sizes& pads : {Sizes{1, 2, 3, 4}, {4, 0, 0, 6}}) {
    out.push_back(padded("pad_reflect", planes, pads, PadMode::reflect, torch::kReflect));
    out.push_back(padded("pad_replicate", planes, pads, PadMode::replicate, torch::kReplicate));
  }
  out.push_back(padded("pad_replicate", kBlock, {9, 8}, PadMode::replicate, torch::kReplicate));
}

void windows(std::vector<Peer>& out) {
  for (const Index step : {1, 2, 3}) {
    for (const Index size : {1, 2, 4}) {
      out.push_back(peer(
          "unfold", {kBlock}, [=](H x) { return unfold(x[0], 1, size, step); },
          [=](T x) { return x[0].unfold(1, size, step); }));
      // Theirs is fold() of planes one row high: [n, size] -> [1, size, n].
      const Index length = 9, n = (length - size) / step + 1;
      out.push_back(peer(
          "overlap_add", {{n, size}}, [=](H x) { return overlap_add(x[0], 0, length, step); },
          [=](T x) {
            const auto options =
                torch::nn::functional::FoldFuncOptions({1, length}, {1, size}).stride({1, step});
            return torch::nn::functional::fold(x[0].t().unsqueeze(0), options).reshape(length);
          }));
    }
  }
}

}  // namespace

std::vector<Peer> arrange_peers() {
  std::vector<Peer> out;
  joins(out);
  orders(out);
  pads(out);
  windows(out);
  return out;
}

}  // namespace heed::parity
