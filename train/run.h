// Run: a training, once for all models. It owns what all trainings have: epochs or steps, a look at
// the validation data every so often, the best model kept on disk, early stopping, averages of the
// weights, schedules, clipping, gradients over several batches, progress, a clean end on Ctrl-C,
// and going on where it was stopped or killed, to the same bits.
//
//   train::Run run(model, adam, {.out = "model", .epochs = 6, .clip = 5, .keep = {"accuracy"}});
//   run.validate([&] { return train::Figures{{"loss", ..}, {"accuracy", ..}}; });
//   run.log(std::make_shared<train::TensorBoard>("runs/first"));
//   run(batches, [&](const Batch& b) { return cross_entropy(model(b.x), b.labels); });
//
// In this order: the batch's loss, backward, clip, the schedule's rate, the optimizer's step; at
// the end of an epoch (or every so many steps) the average is put in, the model looks in eval mode
// and without a tape at what validate() looks at, what it came to is printed and logged, and the
// folder gets the state, and the model if it is the best so far. At the end the model holds what
// was kept.
//
// A training with two optimizers, or none of ours, steps in its own function and gives back what it
// wants to be shown: see Stepped. docs/training.md has it all, step by step.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../data/pass.h"
#include "../data/pieces.h"
#include "../io/saved_module.h"
#include "../io/training_state.h"
#include "../nn/module.h"
#include "../optim/optimizer.h"
#include "../optim/rate.h"
#include "log.h"
#include "piece_state.h"
#include "run_options.h"
#include "training.h"

namespace heed::train {

/// Where a training stands before a step.
struct Moment {
  Index step = 0, epoch = 0;
  double done = 0;  ///< of the whole, 0 to 1
};

/// What a batch came to. `shown` stands for "train loss", by default the loss itself; the mean of a
/// round weighs it, and what is in `also`, by `weight`: 1 where it is left out, or, of a piece of a
/// batch that processes share, its rows; finite and not negative. `also` has the same names each
/// time, none of them validate()'s.
struct Loss {
  Tensor tensor;
  double shown = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> weight = std::nullopt;
  Figures also = {};
};

/// The same of a function that has done backward and step itself, of one batch: `clip` and
/// `accumulate` are refused.
struct Stepped {
  double shown = 0;
  double weight = 1;
  Figures also = {};
};

enum class Per : std::uint8_t { step, epoch };

class Team;

class Run {
 public:
  /// Model and optimizer outlive the run. Throws ValueError for options that make no sense.
  Run(nn::Module& model, optim::Optimizer& optimizer, RunOptions options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Sets the rates of the optimizer's groups before each step: rate(the group's first, steps or
  /// epochs so far).
  Run& schedule(optim::Rate rate, Per per = Per::step);
  /// The same for one that asks how much is done.
  Run& schedule(std::function<double(const Moment&)> rate);
  /// What a round looks at; the model is in eval mode, and nothing records.
  Run& validate(std::function<Figures()> look);
  /// The same of data in parts 0 .. count - 1, batches for example, whose figures are means: of
  /// all, the means by weight, added in the parts' order. Where processes share the run each looks
  /// at some of them, so that look(part) must depend on nothing but the model and the part.
  /// The mean of what weighs nothing is 0. `finish` makes what is shown of the means, which have the
  /// sums of their weights; left out: them. Where processes share the run the first alone calls it.
  /// Throws ValueError for no parts; a part that weighs nothing, or has other names, ends the run so.
  Run& validate(Index count, std::function<Part(Index part)> look,
                std::function<Figures(const Figures& means)> finish = nullptr);
  /// The same of examples, which outlive the run, in parts of `size`, the last perhaps smaller:
  /// look(some of them, in their order) gives a Part. Throws ValueError for none, and a size of 0.
  template <class Example, std::invocable<const std::vector<Example>&> Look>
  Run& validate(const std::vector<Example>& examples, Index size, Look look,
                std::function<Figures(const Figures& means)> finish = nullptr);
  template <class Example, class... More>
  Run& validate(const std::vector<Example>&& examples, Index size, More&&...) = delete;
  /// The same of so many examples that are no vector: look gets the numbers of some.
  Run& validate(Index examples, Index size,
                std::function<Part(const std::vector<Index>& numbers)> look,
                std::function<Figures(const Figures& means)> finish = nullptr);
  /// The files of the model's folder, its weights among them; left out: the weights.
  Run& files(std::function<io::DirectoryFiles()> files);
  /// Gets each step's loss ("step loss") and learning rate ("lr"), and each round's figures. More
  /// than one may be given; a run that goes on drops what was logged for later steps.
  Run& log(std::shared_ptr<Log> log);
  /// Called after each round, saved already.
  Run& each_round(std::function<void(const Training&)> call);
  /// More that a run that goes on needs to the bit: a Generator, numbers (io::Figures), tensors (a
  /// vector of them, of any length), or anything with state_dict() and load_state_dict(). Must
  /// outlive the run. Throws ValueError for a name that is taken, empty or, up to a '.', another's.
  template <class T>
  Run& carry(const std::string& name, T& object);

  /// Trains on the batches of `source`, a data::Loader or what has its next(), count(), index() and
  /// state. body(batch) or body(batch, moment) gives a Tensor, the loss, or Loss, or Stepped.
  /// Throws IoError, FormatError and ValueError for a run that cannot be resumed, whatever the
  /// functions throw, and before that nothing is lost: the folder holds the last state.
  template <class Source, class Body>
  Training operator()(Source& source, Body&& body);

 private:
  /// Of any batch type.
  struct Batches {
    std::function<bool()> next;
    std::function<Loss(const Moment&)> loss;
    std::function<bool(const data::Cutting&, std::vector<Index>& rows)> next_pieces;
    std::function<Loss(const Moment&, Index piece)> piece_loss;
    std::function<void()> end_pass;
    std::function<Index()> count, index;
    std::function<data::PlaceNumbers()> beginning;
    std::function<optim::NamedArrays()> state;
    std::function<void(const optim::NamedArrays&)> restore;
    bool endless = false;
  };
  struct State;

  std::string carried_key(const std::string& name);
  /// Of so many examples; throws ValueError.
  static Index parts_of(Index examples, Index size);
  Training go(Batches& batches);
  bool round(Batches& batches);
  void step(Batches& batches, bool& end_of_pass);
  bool own_step(Batches& batches, const Moment& at, bool& end_of_pass, bool& ours);
  void begin_step(const Moment& at);
  /// Throws ValueError for options that a function that steps itself leaves without effect.
  void check_stepped() const;
  /// The model's, and those of the optimizer that are not the model's.
  std::vector<Tensor> parameters() const;
  void add_also(const Figures& also, double weight);
  void look();
  void keep(bool best, io::DirectoryFiles files);
  std::string encode() const;
  void put_carried(io::TrainingState& state) const;  // averages, too
  void restore(Batches& batches);
  void log_round();
  /// A page that loads itself again every `refresh` seconds; 0: not.
  void write_report(int refresh);
  void end();
  bool stopped() const;
  bool finished() const;
  Moment moment(Batches& batches) const;
  std::vector<Wanted> wanted() const;
  // Of one that is shared with other processes.
  std::string beginning(Batches& batches) const;
  void meet(Batches& batches);
  bool shared_step(Batches& batches, const Moment& at, bool& end_of_pass);
  optim::NamedArrays shared_place() const;
  Figures shared_look();
  Figures shared_parts();
  void share_weights();

  nn::Module& model_;
  optim::Optimizer& optimizer_;
  RunOptions options_;
  Team* team_;  // null: nobody's but ours
  std::vector<Carried> carried_;
  std::vector<std::string> carried_keys_;
  std::function<double(const Moment&, double first)> rate_;
  std::function<Figures()> validate_;
  Index part_count_ = 0;  // of what is validated in parts
  std::function<Part(Index)> look_at_;
  std::function<Figures(const Figures&)> finish_;  // of their means
  std::function<io::DirectoryFiles()> files_;
  std::vector<std::shared_ptr<Log>> logs_;
  std::function<void(const Training&)> each_round_;
  std::unique_ptr<State> state_;
};

template <class Example, std::invocable<const std::vector<Example>&> Look>
Run& Run::validate(const std::vector<Example>& examples, Index size, Look look,
                   std::function<Figures(const Figures&)> finish) {
  return validate(
      parts_of(std::ssize(examples), size),
      [&examples, size, look = std::move(look)](Index i) mutable -> Part {
        const auto first = examples.begin() + i * size;
        return look(
            std::vector<Example>(first, first + std::min(size, std::ssize(examples) - i * size)));
      },
      std::move(finish));
}

template <class T>
Run& Run::carry(const std::string& name, T& object) {
  const std::string key = carried_key(name);
  if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    carried_.push_back(carried_tensors(key, object));
  } else if constexpr (requires(io::TrainingState & state) {
                         state.put(key, object);
                         state.get(key, object);
                       }) {
    carried_.push_back(
        {[key, &object](io::TrainingState& state) { state.put(key, object); },
         [key, &object](const io::TrainingState& state) { state.get(key, object); }});
    if constexpr (std::is_same_v<T, Generator>) carried_.back().generator = &object;
  } else {
    carried_.push_back(
        {[key, &object](io::TrainingState& state) { state.put(key, object.state_dict()); },
         [key, &object](const io::TrainingState& state) {
           if constexpr (requires { object.load_state_dict(state.arrays(key)); }) {
             object.load_state_dict(state.arrays(key));
           } else {
             object.load_state_dict(state.tensors(key));
           }
         }});
  }
  return *this;
}

template <class Source, class Body>
Training Run::operator()(Source& source, Body&& body) {
  using Batch = std::decay_t<decltype(*source.next())>;
  std::optional<Batch> batch;
  data::Pieces<Batch> pieces;
  const auto call = [&](const Batch& which, const Moment& moment) {
    if constexpr (std::is_invocable_v<Body&, const Batch&, const Moment&>) {
      return body(which, moment);
    } else {
      return body(which);
    }
  };
  using Result = std::decay_t<std::invoke_result_t<decltype(call), const Batch&, const Moment&>>;
  if constexpr (std::is_same_v<Result, Stepped>) check_stepped();
  const auto loss_of = [&](const Batch& which, const Moment& moment) {
    const Result result = call(which, moment);
    if constexpr (std::is_same_v<Result, Stepped>) {
      return Loss{Tensor(), result.shown, result.weight, result.also};
    } else if constexpr (std::is_same_v<Result, Loss>) {
      return result;
    } else {
      return Loss{result};
    }
  };
  Batches batches;
  batches.next = [&] {
    batch.reset();
    batch = source.next();
    return batch.has_value();
  };
  batches.loss = [&](const Moment& moment) { return loss_of(std::as_const(*batch), moment); };
  batches.next_pieces = [&](const data::Cutting& cutting, std::vector<Index>& rows) {
    if constexpr (requires { source.next_pieces(cutting, pieces); }) {
      if (!source.next_pieces(cutting, pieces)) return false;
      for (const auto& piece : pieces) rows.push_back(piece.rows);
      return true;
    } else {
      throw ValueError(
          "run: these batches cannot be cut in pieces, as shared runs need: a data::Loader's can");
      return false;
    }
  };
  batches.piece_loss = [&](const Moment& moment, Index k) {
    return loss_of(*std::as_const(pieces[static_cast<std::size_t>(k)].batch), moment);
  };
  batches.end_pass = [&] {
    if constexpr (requires { source.end_pass(); }) source.end_pass();
  };
  batches.count = [&] { return source.count(); };
  batches.index = [&] { return source.index(); };
  batches.beginning = [&] {
    if constexpr (requires { source.beginning(); }) return source.beginning();
    return data::PlaceNumbers{};
  };
  batches.state = [&] { return source.state_dict(); };
  batches.restore = [&](const optim::NamedArrays& entries) { source.load_state_dict(entries); };
  batches.endless = source.endless();
  return go(batches);
}

}  // namespace heed::train
