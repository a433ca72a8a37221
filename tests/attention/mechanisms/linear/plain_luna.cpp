// Causal Luna as the paper writes it: f() of all steps, again for each.
#include <cmath>
#include <string>

#include "plain_references.h"

namespace heed::attention::plain {
namespace {

Numbers part(const Numbers& x, Index h, Index width) {
  return {x.begin() + h * width, x.begin() + (h + 1) * width};
}

// 1/t x_t sum_{s <= t} y_s^T z_s
Numbers f(const Rows& x, const Rows& y, const Rows& z, std::size_t t) {
  Numbers out(z[0].size());
  for (std::size_t s = 0; s <= t; ++s) {
    const double share = dot(x[t], y[s]) / static_cast<double>(t + 1);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += share * z[s][j];
  }
  return out;
}

}  // namespace

Numbers luna_causal(const Leaves& w, const Rows& x, const Block&) {
  const Index length = w["places"].shape()[1];
  const double scale = std::sqrt(static_cast<double>(kKeyWidth));
  Rows y(x.size());
  for (Index h = 0; h < kHeads; ++h) {
    Rows q, k, v, pack, unpack;
    for (const Numbers& row : x) {
      const auto head = [&](const char* name, Index width) {
        return part(affine(w[std::string(name) + ".weight"], row), h, width);
      };
      q.push_back(head("q_proj", kKeyWidth));
      k.push_back(head("k_proj", kKeyWidth));
      v.push_back(head("v_proj", kValueWidth));
      const Numbers key = head("pack_proj", kKeyWidth);
      pack.emplace_back();
      for (Index i = 0; i < length; ++i) {
        double e = 0;
        for (Index d = 0; d < kKeyWidth; ++d) {
          e += w["places"](h, i, d) * key[static_cast<std::size_t>(d)];
        }
        pack.back().push_back(std::log1p(std::exp(e / scale)));
      }
    }
    for (std::size_t t = 0; t < x.size(); ++t) {
      Numbers e = f(q, k, pack, t);
      for (double& each : e) each /= scale;
      unpack.push_back(softmax(e, length));
      const Numbers own = f(unpack, pack, v, t);
      y[t].insert(y[t].end(), own.begin(), own.end());
    }
  }
  Numbers out;
  for (const Numbers& row : y) {
    for (const double number : affine(w["out_proj.weight"], row)) out.push_back(number);
  }
  return out;
}

}  // namespace heed::attention::plain
