// Points: a pointer network, and, plain, one whose keys are learned, whatever stands at a place.
#include <fmt/format.h>

#include "solver.h"

namespace algorithms {
namespace {

using Points = std::vector<data::Point>;
using Places = std::vector<Index>;
constexpr Index kMost = 200;  // points

class Pointing : public Solver {
 public:
  explicit Pointing(const ModelOptions& o)
      : Solver(o),
        task_(o.task == "hull" ? data::PointTask::hull : data::PointTask::sort),
        encoder_(child<nn::LSTM>("encoder", 2, o.hidden)),
        pointer_(child<attention::PointerNetwork>(
            "pointer", attention::PointerNetworkOptions{2, o.hidden, o.hidden})),
        places_(parameter("places", o.plain ? randn({1, kMost, o.hidden}) : Tensor())) {}

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const auto some =
        data::point_batch(task_, data::draw_point_problems(task_, batch, lengths, generator));
    auto state = start(some);
    const Tensor targets = some.targets, log_p = pointer_.run(targets, state);
    return nll_loss(reshape(log_p, {targets.numel(), -1}), reshape(targets, {-1}),
                    {.ignore_index = -1});
  }

  train::Tally score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const std::vector<Points> some = data::draw_point_problems(task_, batch, lengths, generator);
    const std::vector<Places> found = solve(some);
    train::Tally out{.answers = batch};
    if (task_ == data::PointTask::hull) out.extra = "area covered %";
    for (std::size_t b = 0; b < some.size(); ++b) {
      const Places right = data::point_answer(task_, some[b]);
      out.parts += static_cast<Index>(std::max(right.size(), found[b].size()));
      out.wrong += static_cast<Index>(data::places_apart(right, found[b]));
      out.failed += right != found[b];
      if (!out.extra.empty()) out.extra_sum += 100 * data::share_of_hull(some[b], found[b]);
    }
    return out;
  }

  std::string answer(const std::string& line) const override {
    std::vector<std::string> words;
    const Points asked = data::read_points(task_, line, kMost, words);
    const Places found = solve({asked}).front();
    std::string out;
    for (const Index place : found) out += words[static_cast<std::size_t>(place)] + ' ';
    return out + (found == data::point_answer(task_, asked) ? " (right)" : " (wrong)");
  }

  train::Picture picture(Index length, Generator& generator) const override {
    const std::vector<Points> some =
        data::draw_point_problems(task_, 1, {length, length}, generator);
    if (task_ == data::PointTask::hull) {
      return train::hull_picture(some.front(), solve(some).front());
    }
    train::Alignment out{"where each step pointed", {}, {}, {}};
    const auto batch = data::point_batch(task_, some);
    auto state = start(batch);
    out.weights = exp(select(pointer_.run(Tensor(batch.targets), state), 0, 0)).array();
    out.rows = out.columns = train::numbered("", length);
    return train::alignment_picture(out);
  }

 private:
  attention::PointerNetwork::State start(const data::PointBatch& some) const {
    const LstmResult read = encoder_(Tensor(some.x));
    Tensor keys = read.output;
    if (places_.defined()) keys = expand(narrow(places_, 1, 0, keys.size(1)), keys.shape());
    return pointer_.start(keys, Tensor(some.x), {},
                          {select(read.h_n, 0, 0), select(read.c_n, 0, 0)});
  }

  std::vector<Places> solve(const std::vector<Points>& some) const {
    const auto steps = static_cast<Index>(some.front().size());
    auto state = start(data::point_batch(task_, some));
    const Array found = pointer_.decode(state, steps).array();
    std::vector<Places> out;
    for (std::size_t b = 0; b < some.size(); ++b) {
      const Index* row = found.data<Index>() + static_cast<Index>(b) * steps;
      out.push_back(data::pointed_answer(task_, {row, row + steps}));
    }
    return out;
  }

  data::PointTask task_;
  nn::LSTM& encoder_;
  attention::PointerNetwork& pointer_;
  Tensor& places_;
};

}  // namespace

std::unique_ptr<Solver> make_pointing(const ModelOptions& o) {
  return std::make_unique<Pointing>(o);
}

}  // namespace algorithms
