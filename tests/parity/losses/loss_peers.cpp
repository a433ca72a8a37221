#include "../../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/losses/ctc_loss.h"
#include "../../../autograd/ops/losses/kl_div.h"
#include "../../../autograd/ops/losses/margin_losses.h"
#include "../../../autograd/ops/losses/nll_loss.h"
#include "../../../autograd/ops/losses/regression_losses.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../parity.h"

namespace heed::parity {
namespace {

namespace F = torch::nn::functional;

// Class weights, and targets of 4 rows among 5 classes.
const std::vector<double> kWeights = {0.3, 1.7, 1, 0.5, 2};
const std::vector<std::int64_t> kTargets = {1, 0, -100, 4};

Tensor weights(const Tensor& like) { return tensor(kWeights, {5}, like.dtype()); }
torch::Tensor weights(const torch::Tensor& like) {
  return torch::tensor(kWeights, torch::kFloat64).to(like.scalar_type());
}

// What ATen's functions take.
std::int64_t number(Reduction reduction) {
  return reduction == Reduction::none   ? at::Reduction::None
         : reduction == Reduction::mean ? at::Reduction::Mean
                                        : at::Reduction::Sum;
}
constexpr Reduction kReductions[] = {Reduction::none, Reduction::mean, Reduction::sum};

// Scores without rows, and with more axes.
void add_class_forms(std::vector<Peer>& peers, Reduction r) {
  struct Form {
    std::vector<Index> scores, targets;
    std::vector<std::int64_t> ids;
  };
  for (const Form& form : {Form{{5}, {}, {3}}, Form{{2, 5, 2}, {2, 2}, kTargets},
                           Form{{1, 5, 2, 3}, {1, 2, 3}, {4, 0, -100, 2, 2, 1}}}) {
    for (const double smoothing : {0.0, 0.1}) {
      peers.push_back(peer(
          "cross_entropy", {form.scores},
          [=](H x) {
            return cross_entropy(
                x[0], ids(form.ids, Shape(form.targets)),
                {.weight = weights(x[0]), .label_smoothing = smoothing, .reduction = r});
          },
          [=](T x) {
            return torch::cross_entropy_loss(x[0], torch_ids(form.ids, form.targets), weights(x[0]),
                                             number(r), -100, smoothing);
          }));
    }
  }
}

void add_class_losses(std::vector<Peer>& peers) {
  for (const Reduction r : kReductions) {
    peers.push_back(peer(
        "cross_entropy", {{4, 5}},
        [r](H x) {
          return cross_entropy(x[0], ids(kTargets, {4}),
                               {.weight = weights(x[0]), .label_smoothing = 0.1, .reduction = r});
        },
        [r](T x) {
          return torch::cross_entropy_loss(x[0], torch_ids(kTargets, {4}), weights(x[0]), number(r),
                                           -100, 0.1);
        }));
    peers.push_back(peer(
        "nll_loss", {{4, 5}},
        [r](H x) {
          return nll_loss(x[0], ids(kTargets, {4}), {.weight = weights(x[0]), .reduction = r});
        },
        [r](T x) {
          return torch::nll_loss(x[0], torch_ids(kTargets, {4}), weights(x[0]), number(r));
        }));
    peers.push_back(peer(
        "nll_loss", {{2, 5, 2}},
        [r](H x) {
          return nll_loss(x[0], ids({1, 0, 3, 4}, {2, 2}), {.ignore_index = 3, .reduction = r});
        },
        [r](T x) {
          return torch::nll_loss_nd(x[0], torch_ids({1, 0, 3, 4}, {2, 2}), {}, number(r), 3);
        }));
    add_class_forms(peers, r);
    for (const Index p : {1, 2}) {
      peers.push_back(peer(
          "multi_margin_loss", {{4, 5}},
          [r, p](H x) {
            return multi_margin_loss(
                x[0], ids({1, 0, 3, 4}, {4}),
                {.p = p, .margin = 0.7, .weight = weights(x[0]), .reduction = r});
          },
          [r, p](T x) {
            return torch::multi_margin_loss(x[0], torch_ids({1, 0, 3, 4}, {4}), p, 0.7,
                                            weights(x[0]), number(r));
          }));
    }
  }
  peers.push_back(peer(
      "cross_entropy", {{4, 5}}, [](H x) { return cross_entropy(x[0], ids(kTargets, {4})); },
      [](T x) { return F::cross_entropy(x[0], torch_ids(kTargets, {4})); }));
  peers.push_back(peer(
      "nll_loss", {{5}}, [](H x) { return nll_loss(x[0], ids({3}, {})); },
      [](T x) { return torch::nll_loss_nd(x[0], torch_ids({3}, {})); }));
}

void add_number_losses(std::vector<Peer>& peers) {
  const std::vector<std::vector<Index>> pair = {{3, 5}, {3, 5}};
  for (const Reduction r : kReductions) {
    peers.push_back(peer(
        "mse_loss", pair, [r](H x) { return mse_loss(x[0], x[1], r); },
        [r](T x) { return torch::mse_loss(x[0], x[1], number(r)); }));
    peers.push_back(peer(
        "l1_loss", pair, [r](H x) { return l1_loss(x[0], x[1], r); },
        [r](T x) { return torch::l1_loss(x[0], x[1], number(r)); }));
    for (const double beta : {0.0, 0.6, 1.0}) {
      peers.push_back(peer(
          "smooth_l1_loss", pair, [r, beta](H x) { return smooth_l1_loss(x[0], x[1], beta, r); },
          [r, beta](T x) {
            if (beta == 0) return torch::l1_loss(x[0], x[1], number(r));
            return torch::smooth_l1_loss(x[0], x[1], number(r), beta);
          }));
    }
    for (const bool log_target : {false, true}) {
      peers.push_back(peer(
          "kl_div", pair, [r, log_target](H x) { return kl_div(x[0], x[1], r, log_target); },
          [r, log_target](T x) { return torch::kl_div(x[0], x[1], number(r), log_target); },
          Domain::unit));
    }
    peers.push_back(peer(
        "binary_cross_entropy_with_logits", {{3, 5}, {3, 5}},
        [r](H x) { return binary_cross_entropy_with_logits(x[0], x[1], {.reduction = r}); },
        [r](T x) {
          return torch::binary_cross_entropy_with_logits(x[0], x[1], {}, {}, number(r));
        }));
    peers.push_back(peer(
        "binary_cross_entropy_with_logits", {{3, 5}, {3, 5}},
        [r](H x) {
          return binary_cross_entropy_with_logits(x[0], x[1],
                                                  {.weight = full({3, 1}, 0.7, x[0].dtype()),
                                                   .pos_weight = weights(x[0]),
                                                   .reduction = r});
        },
        [r](T x) {
          return torch::binary_cross_entropy_with_logits(
              x[0], x[1], torch::full({3, 1}, 0.7, x[0].options()), weights(x[0]), number(r));
        }));
  }
}

// At the kinks: differences of 0, and of beta or a margin of 1 exactly.
void add_kinks(std::vector<Peer>& peers) {
  const std::vector<std::vector<Index>> pair = {{7, 5}, {7, 5}};
  peers.push_back(peer(
      "l1_loss", pair, [](H x) { return l1_loss(x[0], x[1]); },
      [](T x) { return torch::l1_loss(x[0], x[1]); }, Domain::whole));
  peers.push_back(peer(
      "smooth_l1_loss", pair, [](H x) { return smooth_l1_loss(x[0], x[1]); },
      [](T x) { return torch::smooth_l1_loss(x[0], x[1]); }, Domain::whole));
  peers.push_back(peer(
      "hinge_embedding_loss", {{5, 7}},
      [](H x) {
        return hinge_embedding_loss(x[0], full({5, 7}, -1, DType::i64));
      },
      [](T x) {
        return torch::hinge_embedding_loss(x[0], torch::full({5, 7}, -1, torch::kInt64));
      },
      Domain::whole));
  peers.push_back(peer(
      "multi_margin_loss", {{4, 5}},
      [](H x) {
        return multi_margin_loss(x[0], ids({1, 0, 3, 4}, {4}));
      },
      [](T x) {
        return torch::multi_margin_loss(x[0], torch_ids({1, 0, 3, 4}, {4}));
      },
      Domain::whole));
  // Infinite and missing scores.
  peers.push_back(peer(
      "cross_entropy", {{11, 3}},
      [](H x) {
        return cross_entropy(x[0], full({11}, 1, DType::i64), {.reduction = Reduction::none});
      },
      [](T x) {
        return torch::cross_entropy_loss(x[0], torch::full({11}, 1, torch::kInt64), {},
                                         at::Reduction::None);
      },
      Domain::special));
}

void add_sign_losses(std::vector<Peer>& peers) {
  for (const Reduction r : kReductions) {
    peers.push_back(peer(
        "hinge_embedding_loss", {{5}},
        [r](H x) {
          return hinge_embedding_loss(x[0], ids({1, -1, -1, 1, -1}, {5}), 0.8, r);
        },
        [r](T x) {
          return torch::hinge_embedding_loss(x[0], torch_ids({1, -1, -1, 1, -1}, {5}), 0.8,
                                             number(r));
        }));
    peers.push_back(peer(
        "margin_ranking_loss", {{5}, {5}, {5}},
        [r](H x) { return margin_ranking_loss(x[0], x[1], x[2], 0.3, r); },
        [r](T x) { return torch::margin_ranking_loss(x[0], x[1], x[2], 0.3, number(r)); }));
    peers.push_back(peer(
        "triplet_margin_loss", {{5, 3}, {5, 3}, {5, 3}},
        [r](H x) { return triplet_margin_loss(x[0], x[1], x[2], 0.7, r); },
        [r](T x) {
          return torch::triplet_margin_loss(x[0], x[1], x[2], 0.7, 2, 1e-6, false, number(r));
        }));
    peers.push_back(peer(
        "cosine_embedding_loss", {{5, 3}, {5, 3}},
        [r](H x) {
          return cosine_embedding_loss(x[0], x[1], ids({1, -1, -1, 1, -1}, {5}), -0.4, r);
        },
        [r](T x) {
          return torch::cosine_embedding_loss(x[0], x[1], torch_ids({1, -1, -1, 1, -1}, {5}), -0.4,
                                              number(r));
        }));
  }
}

// Through a log_softmax, without which PyTorch's gradient is another; see ctc_loss.h.
void add_ctc(std::vector<Peer>& peers) {
  for (const Reduction r : kReductions) {
    peers.push_back(peer(
        "ctc_loss", {{7, 2, 5}},
        [r](H x) {
          return ctc_loss(log_softmax(x[0], -1), ids({1, 2, 2, 4, 3, 0}, {2, 3}), {7, 5}, {3, 2},
                          {.reduction = r});
        },
        [r](T x) {
          return torch::ctc_loss(torch::log_softmax(x[0], -1),
                                 torch_ids({1, 2, 2, 4, 3, 0}, {2, 3}), at::IntArrayRef({7, 5}),
                                 at::IntArrayRef({3, 2}), 0, number(r));
        }));
    // Another blank, rows one after another, and a second one without any alignment.
    peers.push_back(peer(
        "ctc_loss", {{7, 2, 5}},
        [r](H x) {
          return ctc_loss(log_softmax(x[0], -1), ids({1, 2, 0, 0, 0}, {5}), {7, 4}, {2, 3},
                          {.blank = 3, .reduction = r, .zero_infinity = true});
        },
        [r](T x) {
          return torch::ctc_loss(torch::log_softmax(x[0], -1), torch_ids({1, 2, 0, 0, 0}, {5}),
                                 at::IntArrayRef({7, 4}), at::IntArrayRef({2, 3}), 3, number(r),
                                 true);
        }));
  }
}

}  // namespace

std::vector<Peer> loss_peers() {
  std::vector<Peer> peers;
  add_class_losses(peers);
  add_number_losses(peers);
  add_sign_losses(peers);
  add_kinks(peers);
  add_ctc(peers);
  return peers;
}

}  // namespace heed::parity
