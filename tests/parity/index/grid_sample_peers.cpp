#include "../../../autograd/ops/index/grid_sample.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../parity.h"

namespace heed::parity {

std::vector<Peer> grid_sample_peers() {
  std::vector<Peer> out;
  for (const bool border : {false, true}) {
    for (const bool corners : {false, true}) {
      const GridSampleOptions linear{.padding = border ? GridPadding::border : GridPadding::zeros,
                                     .align_corners = corners};
      GridSampleOptions nearest = linear;
      nearest.mode = Interpolation::nearest;
      for (const auto& x : std::vector<std::vector<Index>>{{2, 3, 5, 7}, {2, 1, 1, 3}}) {
        out.push_back(peer(
            "grid_sample", {x, {2, 11, 3, 2}}, [=](H t) { return grid_sample(t[0], t[1], linear); },
            [=](T t) { return torch::grid_sampler(t[0], t[1], 0, border ? 1 : 0, corners); }));
        // Theirs gives the grid zeros, ours none.
        out.push_back(peer(
            "grid_sample", {x, {2, 11, 3, 2}},
            [=](H t) { return grid_sample(t[0], t[1], nearest) + 0 * sum(t[1]); },
            [=](T t) { return torch::grid_sampler(t[0], t[1], 1, border ? 1 : 0, corners); }));
      }
    }
  }
  for (const bool corners : {false, true}) {
    for (const auto& size : std::vector<std::vector<Index>>{{2, 1, 3, 5}, {2, 1, 1, 7}}) {
      out.push_back(peer(
          "affine_grid", {{2, 2, 3}},
          [=](H t) { return affine_grid(t[0], size[2], size[3], corners); },
          [=](T t) { return torch::affine_grid_generator(t[0], size, corners); }));
    }
  }
  return out;
}

}  // namespace heed::parity
