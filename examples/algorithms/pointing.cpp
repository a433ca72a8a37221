// Sorting and convex hulls: a pointer network, and a decoder that chooses among numbered places.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "../../attention/mechanisms/decoders/pointer_network.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/losses/nll_loss.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/generated/convex_hull.h"
#include "../../nn/lstm.h"
#include "../../train/alignment.h"
#include "solver.h"

namespace algorithms {
namespace {

using Points = std::vector<data::Point>;
using Places = std::vector<Index>;
constexpr Index kPlaces = 100;  // that the plain decoder has numbers for

class Pointing : public Solver {
 public:
  explicit Pointing(const ModelOptions& o)
      : Solver(o),
        hull_(o.task == "hull"),
        encoder_(child<nn::LSTM>("encoder", hull_ ? 2 : 1, o.hidden)),
        pointer_(child<attention::PointerNetwork>(
            "pointer",
            attention::PointerNetworkOptions{
                .input_width = hull_ ? 2 : 1, .key_width = o.hidden, .state_width = o.hidden})) {
    if (o.plain) places_ = &child<nn::Linear>("places", o.hidden, kPlaces);
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const std::vector<Points> some = draw(batch, lengths, generator);
    const Tensor targets = targets_of(some);
    auto state = start(some);
    const Tensor log_p = reshape(run(targets, state), {targets.numel(), -1});
    return nll_loss(log_p, reshape(targets, {-1}), {.ignore_index = -1});
  }

  Score score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const std::vector<Points> some = draw(batch, lengths, generator);
    const std::vector<Places> found = solve(some);
    Score out{.problems = batch};
    if (hull_) out.extra = "area covered %";
    for (std::size_t b = 0; b < some.size(); ++b) {
      const Places right = right_of(some[b]);
      Index wrong = 0;
      for (std::size_t i = 0; i < std::max(right.size(), found[b].size()); ++i) {
        wrong += i >= right.size() || i >= found[b].size() || right[i] != found[b][i];
      }
      out.wrong += wrong;
      out.count += static_cast<Index>(std::max(right.size(), found[b].size()));
      out.failed += wrong > 0;
      if (hull_ && data::is_simple(some[b], found[b])) {
        out.extra_sum +=
            100 * data::polygon_area(some[b], found[b]) / data::polygon_area(some[b], right);
      }
    }
    return out;
  }

  std::string answer(const std::string& line) const override {
    std::vector<std::string> words;
    const Points asked = read(line, words);
    const Places found = solve({asked}).front(), right = right_of(asked);
    std::string out;
    for (const Index place : found) out += words[static_cast<std::size_t>(place)] + ' ';
    return out + (found == right ? " (right)" : " (wrong)");
  }

  train::Picture picture(Index length, Generator& generator) const override {
    const std::vector<Points> some = draw(1, {length, length}, generator);
    return hull_ ? draw_hull(some.front()) : draw_weights(some);
  }

 private:
  using State = attention::PointerNetwork::State;

  std::vector<Points> draw(Index batch, const Lengths& lengths, Generator& generator) const {
    const Index length = lengths.shortest + generator.below(lengths.longest - lengths.shortest + 1);
    std::vector<Points> out;
    for (Index b = 0; b < batch; ++b) out.push_back(data::draw_points(length, generator));
    return out;
  }

  // The order of x, or the hull's corners.
  Places right_of(const Points& points) const {
    if (hull_) return data::convex_hull(points);
    Places out(points.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(i);
    std::stable_sort(out.begin(), out.end(), [&](Index i, Index j) {
      return points[static_cast<std::size_t>(i)].x < points[static_cast<std::size_t>(j)].x;
    });
    return out;
  }

  // i64 [B, T]: a hull ends where it began; -1 behind its end.
  Tensor targets_of(const std::vector<Points>& some) const {
    std::vector<Places> rows;
    std::size_t most = 0;
    for (const Points& points : some) {
      rows.push_back(right_of(points));
      if (hull_) rows.back().push_back(rows.back().front());
      most = std::max(most, rows.back().size());
    }
    Places all;
    for (Places& row : rows) {
      row.resize(most, -1);
      all.insert(all.end(), row.begin(), row.end());
    }
    return Tensor(Array::from(all, {static_cast<Index>(some.size()), static_cast<Index>(most)}));
  }

  State start(const std::vector<Points>& some) const {
    const auto B = static_cast<Index>(some.size()), K = static_cast<Index>(some.front().size());
    Array x = Array::zeros({B, K, hull_ ? 2 : 1}, DType::f32);
    float* to = x.mutable_data<float>();
    for (const Points& points : some) {
      for (const data::Point& point : points) {
        *to++ = static_cast<float>(point.x) / static_cast<float>(data::kGrid);
        if (hull_) *to++ = static_cast<float>(point.y) / static_cast<float>(data::kGrid);
      }
    }
    const LstmResult read = encoder_(Tensor(x));
    return pointer_.start(read.output, Tensor(x), {},
                          {select(read.h_n, 0, 0), select(read.c_n, 0, 0)});
  }

  // log p [B, T, K].
  Tensor run(const Tensor& targets, State& state) const {
    if (places_ == nullptr) return pointer_.run(targets, state);
    std::vector<Tensor> steps;
    for (Index t = 0; t < targets.size(1); ++t) {
      steps.push_back(step(t == 0 ? Tensor() : select(targets, 1, t - 1), state));
    }
    return stack(steps, 1);
  }
  // The plain decoder does all but attend: its states choose.
  Tensor step(const Tensor& places, State& state) const {
    const Tensor log_p = pointer_.step(places, state);
    if (places_ == nullptr) return log_p;
    return log_softmax(narrow((*places_)(state.lstm.h), 1, 0, state.inputs.size(1)), -1);
  }

  std::vector<Places> solve(const std::vector<Points>& some) const {
    State state = start(some);
    std::vector<Places> out(some.size());
    Tensor last;
    std::vector<bool> ended(some.size(), false);
    for (std::size_t t = 0; t < some.front().size() + (hull_ ? 1 : 0); ++t) {
      last = argmax(step(last, state), -1);
      const auto now = last.array().to_vector<Index>();
      for (std::size_t b = 0; b < now.size(); ++b) {
        if (hull_ && !out[b].empty() && now[b] == out[b].front()) ended[b] = true;
        if (!ended[b]) out[b].push_back(now[b]);
      }
    }
    return out;
  }

  // Numbers, or points as "x,y", fitted into the square that training draws from.
  Points read(const std::string& line, std::vector<std::string>& words) const {
    std::istringstream in(line);
    std::vector<double> numbers;
    for (std::string word; in >> word; words.push_back(word)) {
      const char *at = word.data(), *end = at + word.size();
      for (int part = 0; part < (hull_ ? 2 : 1); ++part) {
        const auto [stop, error] = std::from_chars(at, end, numbers.emplace_back());
        const bool last = part == (hull_ ? 1 : 0);
        if (error != std::errc() || !std::isfinite(numbers.back()) ||
            (last ? stop != end : stop == end || *stop != ',')) {
          throw ValueError(fmt::format("\"{}\" is no {}", word, hull_ ? "point x,y" : "number"));
        }
        at = stop + 1;
      }
    }
    if (words.size() < 3 || static_cast<Index>(words.size()) > kPlaces) {
      throw ValueError(fmt::format("{} came, not 3 to {}", words.size(), kPlaces));
    }
    const std::size_t width = hull_ ? 2 : 1;
    double scale = 0;
    std::vector<double> least(2, 0.0);
    for (std::size_t part = 0; part < width; ++part) {
      double low = numbers[part], high = low;
      for (std::size_t i = part; i < numbers.size(); i += width) {
        low = std::min(low, numbers[i]);
        high = std::max(high, numbers[i]);
      }
      least[part] = low;
      scale = std::max(scale, high - low);
    }
    if (!std::isfinite(scale)) throw ValueError("the numbers lie too far apart");
    Points out(words.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double share = scale > 0 ? (numbers[i] - least[i % width]) / scale : 0;
      const auto place = static_cast<Index>(share * static_cast<double>(data::kGrid - 1));
      (i % width == 0 ? out[i / width].x : out[i / width].y) = place;
    }
    return out;
  }

  train::Picture draw_hull(const Points& points) const {
    constexpr Index kSide = 360, kEdge = 12;
    train::Picture out(kSide + 2 * kEdge, kSide + 2 * kEdge, {255, 255, 255});
    const auto x = [&](Index i) {
      return kEdge + points[static_cast<std::size_t>(i)].x * kSide / data::kGrid;
    };
    const auto y = [&](Index i) {
      return kEdge + kSide - points[static_cast<std::size_t>(i)].y * kSide / data::kGrid;
    };
    const auto draw_around = [&](const Places& corners, train::Colour colour, Index shift) {
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const Index a = corners[i], b = corners[(i + 1) % corners.size()];
        out.line(x(a) + shift, y(a) + shift, x(b) + shift, y(b) + shift, colour);
      }
    };
    draw_around(right_of(points), {190, 190, 190}, 2);
    draw_around(solve({points}).front(), {214, 96, 20}, 0);
    for (Index i = 0; i < static_cast<Index>(points.size()); ++i) {
      out.fill(x(i) - 2, y(i) - 2, 5, 5, {20, 20, 20});
      out.text(x(i) + 5, y(i) - 4, std::to_string(i + 1), {120, 120, 120});
    }
    return out;
  }

  train::Picture draw_weights(const std::vector<Points>& some) const {
    train::Alignment out{"where each step pointed", {}, {}, {}};
    for (const data::Point& point : some.front()) {
      out.columns.push_back(fmt::format("{:.2f}", static_cast<double>(point.x) / data::kGrid));
    }
    for (const Index place : right_of(some.front())) {
      out.rows.push_back(out.columns[static_cast<std::size_t>(place)]);
    }
    State state = start(some);
    out.weights = exp(select(run(targets_of(some), state), 0, 0)).array();
    return train::alignment_picture(out);
  }

  bool hull_;
  nn::LSTM& encoder_;
  attention::PointerNetwork& pointer_;
  nn::Linear* places_ = nullptr;  // of the plain one
};

}  // namespace

std::unique_ptr<Solver> make_pointing(const ModelOptions& options) {
  return std::make_unique<Pointing>(options);
}

}  // namespace algorithms
