#include "plain_references.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace heed::attention::plain {
namespace {

double& at(Numbers& x, Index i) { return x.at(static_cast<std::size_t>(i)); }
double at(const Numbers& x, Index i) { return x.at(static_cast<std::size_t>(i)); }
Index count(const Numbers& x) { return static_cast<Index>(x.size()); }

Numbers project(const Leaves& w, const std::string& name, const Numbers& x, bool bias = false) {
  return affine(w[name + ".weight"], x, bias ? w[name + ".bias"] : Block());
}
Numbers head(const Numbers& x, Index h) {
  const Index D = count(x) / kHeads;
  return Numbers(x.begin() + h * D, x.begin() + (h + 1) * D);
}
Numbers each(Numbers x, const std::function<double(double)>& f) {
  for (double& number : x) number = f(number);
  return x;
}
double silu(double x) { return x * sigmoid(x); }
double softplus(double x) { return std::log1p(std::exp(x)); }
Numbers times(Numbers a, const Numbers& b) {
  for (Index i = 0; i < count(a); ++i) at(a, i) *= at(b, i);
  return a;
}

// A step of a head; without decay, beta and bonus where they are empty.
struct Step {
  Numbers q, k, v, decay, beta, bonus;
};

// y_t of each step.
Rows read(const std::vector<Step>& steps) {
  Rows out, S;
  for (const Step& s : steps) {
    if (S.empty()) S.assign(s.k.size(), Numbers(s.v.size()));
    const auto S_at = [&](Index i, Index j) -> double& {
      return at(S[static_cast<std::size_t>(i)], j);
    };
    const auto y = [&] {
      Numbers now(s.v.size());
      for (Index i = 0; i < count(s.k); ++i) {
        for (Index j = 0; j < count(s.v); ++j) {
          const double own = s.bonus.empty() ? 0 : at(s.bonus, i) * at(s.k, i) * at(s.v, j);
          at(now, j) += at(s.q, i) * (S_at(i, j) + own);
        }
      }
      return now;
    };
    if (!s.bonus.empty()) out.push_back(y());
    for (Index i = 0; i < count(s.k); ++i) {
      for (Index j = 0; j < count(s.v); ++j) {
        if (!s.decay.empty()) S_at(i, j) *= at(s.decay, count(s.decay) == 1 ? 0 : i);
      }
    }
    for (Index j = 0; j < count(s.v); ++j) {
      double u = at(s.v, j);
      if (!s.beta.empty()) {
        for (Index i = 0; i < count(s.k); ++i) u -= at(s.k, i) * S_at(i, j);
        u *= at(s.beta, 0);
      }
      for (Index i = 0; i < count(s.k); ++i) S_at(i, j) += at(s.k, i) * u;
    }
    if (s.bonus.empty()) out.push_back(y());
  }
  return out;
}

// Of all heads, joined: of(t, h) are the steps.
Rows read_heads(Index T, Index heads, const std::function<Step(std::size_t, Index)>& of) {
  Rows out(static_cast<std::size_t>(T));
  for (Index h = 0; h < heads; ++h) {
    std::vector<Step> steps;
    for (std::size_t t = 0; t < out.size(); ++t) steps.push_back(of(t, h));
    const Rows y = read(steps);
    for (std::size_t t = 0; t < out.size(); ++t)
      out[t].insert(out[t].end(), y[t].begin(), y[t].end());
  }
  return out;
}

// q, k, v by projections.
Step projected(const Leaves& w, const Numbers& x, Index h) {
  return {head(project(w, "q_proj", x), h),
          head(project(w, "k_proj", x), h),
          head(project(w, "v_proj", x), h),
          {},
          {},
          {}};
}

Numbers outputs(const Leaves& w, const Rows& y) {
  Numbers out;
  for (const Numbers& row : y) {
    for (const double number : project(w, "out_proj", row)) out.push_back(number);
  }
  return out;
}

// sum_s w_ts v_s / sum_s w_ts, the weights of features phi(q_t) . phi(k_s).
using Phi = std::function<Numbers(const Numbers& x, std::size_t t)>;
Numbers by_features(const Leaves& w, const Rows& x, const Phi& phi) {
  Rows y(x.size());
  for (Index h = 0; h < kHeads; ++h) {
    for (std::size_t t = 0; t < x.size(); ++t) {
      Numbers sums(kValueWidth);
      double total = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        const double weight = dot(phi(projected(w, x[t], h).q, t), phi(projected(w, x[s], h).k, s));
        total += weight;
        for (Index j = 0; j < kValueWidth; ++j) {
          at(sums, j) += weight * at(projected(w, x[s], h).v, j);
        }
      }
      for (const double sum : sums) y[t].push_back(sum / total);
    }
  }
  return outputs(w, y);
}

Numbers linear_attention(const Leaves& w, const Rows& x, const Block&) {
  return by_features(w, x, [](const Numbers& q, std::size_t) {
    return each(q, [](double z) { return z > 0 ? z + 1 : std::exp(z); });
  });
}

Numbers performer(const Leaves& w, const Rows& x, const Block& rows, bool hyperbolic) {
  return by_features(w, x, [&](const Numbers& given, std::size_t) {
    const Numbers q = each(given, [](double z) { return z / std::pow(kKeyWidth, 0.25); });
    Numbers out;
    for (const double sign : {1.0, -1.0}) {
      if (sign < 0 && !hyperbolic) break;
      for (const double wx : affine(rows, q)) out.push_back(std::exp(sign * wx - dot(q, q) / 2));
    }
    return each(out, [&](double z) { return z / std::sqrt(static_cast<double>(out.size())); });
  });
}
Numbers performer_positive(const Leaves& w, const Rows& x, const Block& rows) {
  return performer(w, x, rows, false);
}
Numbers performer_hyperbolic(const Leaves& w, const Rows& x, const Block& rows) {
  return performer(w, x, rows, true);
}

// The cosine of the distance itself, where the library has a sum of products.
Numbers cos_former(const Leaves& w, const Rows& x, const Block&) {
  Rows y(x.size());
  const auto positive = [](const Numbers& z) {
    return each(z, [](double n) { return std::max(n, 0.0); });
  };
  for (Index h = 0; h < kHeads; ++h) {
    for (std::size_t t = 0; t < x.size(); ++t) {
      Numbers sums(kValueWidth);
      double total = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        const double angle = std::numbers::pi / 2 * static_cast<double>(t - s) / 32;
        const double weight =
            dot(positive(projected(w, x[t], h).q), positive(projected(w, x[s], h).k)) *
            std::cos(angle);
        total += weight;
        for (Index j = 0; j < kValueWidth; ++j) {
          at(sums, j) += weight * at(projected(w, x[s], h).v, j);
        }
      }
      for (const double sum : sums) y[t].push_back(total == 0 ? 0 : sum / total);
    }
  }
  return outputs(w, y);
}

Numbers attention_free(const Leaves& w, const Rows& x, const Block&) {
  Rows y;
  Numbers sums(kWidth), totals(kWidth);
  for (const Numbers& row : x) {
    const Numbers q = project(w, "q_proj", row), k = project(w, "k_proj", row);
    const Numbers v = project(w, "v_proj", row);
    y.emplace_back();
    for (Index e = 0; e < kWidth; ++e) {
      at(sums, e) += std::exp(at(k, e)) * at(v, e);
      at(totals, e) += std::exp(at(k, e));
      y.back().push_back(sigmoid(at(q, e)) * at(sums, e) / at(totals, e));
    }
  }
  return outputs(w, y);
}

// To mean 0 and variance 1 in each head; or only divided by the root of the mean square.
Numbers normed(const Numbers& x, Index groups, bool centred) {
  Numbers out = x;
  const Index D = count(x) / groups;
  for (Index g = 0; g < groups; ++g) {
    double mean = 0, squares = 0;
    for (Index i = 0; i < D && centred; ++i) mean += at(x, g * D + i) / static_cast<double>(D);
    for (Index i = 0; i < D; ++i) {
      squares += std::pow(at(x, g * D + i) - mean, 2) / static_cast<double>(D);
    }
    for (Index i = 0; i < D; ++i) {
      at(out, g * D + i) = (at(x, g * D + i) - mean) / std::sqrt(squares + 1e-5);
    }
  }
  return out;
}

// The weight [D] of all heads, as [H D].
Numbers of_heads(const Block& weight) {
  Numbers out;
  for (Index h = 0; h < kHeads; ++h) {
    out.insert(out.end(), weight.values().begin(), weight.values().end());
  }
  return out;
}

Numbers turned(const Numbers& x, std::size_t place) {
  Numbers out = x;
  for (Index i = 0; i < count(x); i += 2) {
    const double angle = static_cast<double>(place) *
                         std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(count(x)));
    at(out, i) = at(x, i) * std::cos(angle) - at(x, i + 1) * std::sin(angle);
    at(out, i + 1) = at(x, i) * std::sin(angle) + at(x, i + 1) * std::cos(angle);
  }
  return out;
}

Numbers retnet(const Leaves& w, const Rows& x, const Block&) {
  Rows y = read_heads(std::ssize(x), kHeads, [&](std::size_t t, Index h) {
    Step s = projected(w, x[t], h);
    s.q = turned(s.q, t);
    s.k = each(turned(s.k, t), [](double z) { return z / std::sqrt(double{kKeyWidth}); });
    s.decay = {1 - std::pow(2.0, -5.0 - static_cast<double>(h))};
    return s;
  });
  for (std::size_t t = 0; t < x.size(); ++t) {
    y[t] = times(normed(y[t], kHeads, true), each(project(w, "g_proj", x[t]), silu));
  }
  return outputs(w, y);
}

Numbers gated_linear_attention(const Leaves& w, const Rows& x, const Block&) {
  Rows y = read_heads(std::ssize(x), kHeads, [&](std::size_t t, Index h) {
    Step s = projected(w, x[t], h);
    const Numbers gate = head(project(w, "gate_up", project(w, "gate_down", x[t]), true), h);
    s.decay = each(gate, [](double z) { return std::pow(sigmoid(z), 1.0 / 16); });
    return s;
  });
  for (std::size_t t = 0; t < x.size(); ++t) {
    y[t] = times(normed(y[t], kHeads, false), of_heads(w["norm.weight"]));
    y[t] = times(y[t], each(project(w, "r_proj", x[t], true), silu));
  }
  return outputs(w, y);
}

// silu of the convolution over the last steps.
Rows convolved(const Block& weight, const Rows& x) {
  Rows out;
  const Index C = weight.size(1);
  for (Index t = 0; t < std::ssize(x); ++t) {
    out.emplace_back();
    for (Index c = 0; c < weight.size(0); ++c) {
      double sum = 0;
      for (Index j = 0; j < C; ++j) {
        const Index from = t - C + 1 + j;
        if (from >= 0) sum += weight(c, j) * at(x[static_cast<std::size_t>(from)], c);
      }
      out.back().push_back(silu(sum));
    }
  }
  return out;
}
Rows convolved(const Leaves& w, const std::string& projection, const std::string& convolution,
               const Rows& x) {
  Rows rows;
  for (const Numbers& row : x) rows.push_back(project(w, projection, row));
  return convolved(w[convolution + ".weight"], rows);
}

Numbers state_space_duality(const Leaves& w, const Rows& x, const Block&) {
  const Rows all = convolved(w, "in_proj", "convolution", x);
  constexpr Index kInner = kHeads * kValueWidth;
  const auto part = [&](std::size_t t, Index begin, Index size) {
    return Numbers(all[t].begin() + begin, all[t].begin() + begin + size);
  };
  Rows y = read_heads(std::ssize(x), kHeads, [&](std::size_t t, Index h) {
    const double dt = softplus(at(project(w, "dt_proj", x[t], true), h));
    const double A = -std::exp(at(w["A_log"].values(), h));
    const Numbers v = each(head(part(t, 0, kInner), h), [&](double z) { return dt * z; });
    return Step{part(t, kInner + kKeyWidth, kKeyWidth),
                part(t, kInner, kKeyWidth),
                v,
                {std::exp(dt * A)},
                {},
                {}};
  });
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Numbers z = project(w, "z_proj", x[t]);
    for (Index i = 0; i < kInner; ++i) {
      at(y[t], i) += at(w["D"].values(), i / kValueWidth) * at(all[t], i);
      at(y[t], i) *= silu(at(z, i));
    }
    y[t] = times(normed(y[t], 1, false), w["norm.weight"].values());
  }
  return outputs(w, y);
}

Numbers unit(const Numbers& x) {
  return each(x, [&](double z) { return z / std::sqrt(dot(x, x) + 1e-6); });
}

Numbers delta(const Leaves& w, const Rows& x, bool gated) {
  const Rows q = convolved(w, "q_proj", "q_conv", x), k = convolved(w, "k_proj", "k_conv", x);
  const Rows v = convolved(w, "v_proj", "v_conv", x);
  Rows y = read_heads(std::ssize(x), kHeads, [&](std::size_t t, Index h) {
    Step s{unit(head(q[t], h)), unit(head(k[t], h)), head(v[t], h), {}, {}, {}};
    s.beta = {sigmoid(at(project(w, "beta_proj", x[t]), h))};
    if (gated) {
      s.decay = {std::exp(-std::exp(at(w["A_log"].values(), h)) *
                          softplus(at(project(w, "alpha_proj", x[t], true), h)))};
    }
    return s;
  });
  for (std::size_t t = 0; t < x.size(); ++t) {
    y[t] = times(normed(y[t], kHeads, false), of_heads(w["norm.weight"]));
    if (gated) y[t] = times(y[t], each(project(w, "g_proj", x[t]), silu));
  }
  return outputs(w, y);
}
Numbers delta_net(const Leaves& w, const Rows& x, const Block&) { return delta(w, x, false); }
Numbers gated_delta_net(const Leaves& w, const Rows& x, const Block&) { return delta(w, x, true); }

Numbers lora(const Leaves& w, const std::string& name, const Numbers& z) {
  return add(project(w, name + ".up", tanh(project(w, name + ".down", z))),
             w[name + ".mu"].values());
}

Numbers rwkv6(const Leaves& w, const Rows& x, const Block&) {
  const auto mixed = [&](std::size_t t, const std::string& name) {
    const Numbers before = t == 0 ? Numbers(kWidth) : x[t - 1];
    Numbers towards = before;
    for (Index e = 0; e < kWidth; ++e) at(towards, e) -= at(x[t], e);
    const Numbers z = add(x[t], times(towards, w["mu_x"].values()));
    return add(x[t], times(towards, lora(w, name, z)));
  };
  Rows y = read_heads(std::ssize(x), kHeads, [&](std::size_t t, Index h) {
    const auto of = [&](const char* mix, const char* name) {
      return head(project(w, name, mixed(t, mix)), h);
    };
    Step s{of("r_mix", "r_proj"), of("k_mix", "k_proj"), of("v_mix", "v_proj"), {}, {}, {}};
    s.decay = each(head(lora(w, "decay", mixed(t, "w_mix")), h),
                   [](double z) { return std::exp(-std::exp(z)); });
    s.bonus = head(w["bonus"].values(), h);
    return s;
  });
  for (std::size_t t = 0; t < x.size(); ++t) {
    y[t] =
        add(times(normed(y[t], kHeads, true), w["norm_weight"].values()), w["norm_bias"].values());
    y[t] = times(y[t], each(project(w, "g_proj", mixed(t, "g_mix")), silu));
  }
  return outputs(w, y);
}

}  // namespace

LinearReference linear_reference(const std::string& name) {
  static const std::pair<const char*, LinearReference> all[] = {
      {"linear_attention", linear_attention},
      {"performer", performer_positive},
      {"performer_hyperbolic", performer_hyperbolic},
      {"cos_former", cos_former},
      {"attention_free", attention_free},
      {"luna_causal", luna_causal},
      {"retnet", retnet},
      {"gated_linear_attention", gated_linear_attention},
      {"state_space_duality", state_space_duality},
      {"delta_net", delta_net},
      {"gated_delta_net", gated_delta_net},
      {"rwkv6", rwkv6},
  };
  for (const auto& [own, reference] : all) {
    if (name == own) return reference;
  }
  return nullptr;
}

}  // namespace heed::attention::plain
