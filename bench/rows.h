// The rows of the benchmark: who runs them, what bounds them, and the ratio they are held to.
#pragma once

#include <string>
#include <vector>

#include "attention.h"
#include "babi.h"
#include "flex.h"
#include "han.h"
#include "hard.h"
#include "lstmn.h"
#include "overhead.h"
#include "packed.h"
#include "recurrent.h"
#include "seq2seq.h"
#include "transformer.h"
#include "translation.h"

namespace bench {

enum class Limit { flops, bytes };

struct Row {
  std::string name;
  std::string programs;  ///< heed_PROGRAMS and libtorch_PROGRAMS, which take the row's name
  int steps;             ///< in one turn: at least some 50 ms
  Limit limit;
  double work;    ///< of one step: operations or bytes
  double target;  ///< ours over libtorch's time with two threads and more; with one it is 1
  double tolerance = 1e-3;  ///< of the losses, relative
};

inline const std::vector<Row> kRows = {
    {"han", "han", 3, Limit::flops, han::flops(han::kHan), 0.35},
    {"han_wide", "han", 1, Limit::flops, han::flops(han::kWide), 0.35},
    {"seq2seq", "seq2seq", 1, Limit::flops, seq2seq::flops(), 0.6},
    {"transformer", "transformer", 1, Limit::flops, transformer::flops(), 0.6},
    {"encoder", "transformer", 1, Limit::flops, encoder::flops(), 0.85},
    {"sdpa_512", "attention", 5, Limit::flops, sdpa::flops(512), 0.65},
    {"sdpa_2048", "attention", 1, Limit::flops, sdpa::flops(2048), 0.45},
    {"sdpa_4096", "attention", 1, Limit::flops, sdpa::flops(4096), 0.28},
    {"flex", "flex", 1, Limit::flops, flex::flops(), 0.3},
    {"packed", "packed", 1, Limit::flops, packed::flops(), 0.5},
    {"additive", "attention", 1, Limit::flops, additive::flops(), 0.2},
    {"gru", "recurrent", 3, Limit::flops, recurrent::flops(recurrent::kGruGates), 0.55},
    {"lstm", "recurrent", 3, Limit::flops, recurrent::flops(recurrent::kLstmGates), 0.55},
    {"soft", "hard", 1, Limit::flops, hard::flops(1), 1},
    {"hard", "hard", 1, Limit::flops, hard::flops(hard::kSamples), 1, hard::kTolerance},
    {"lstmn", "lstmn", 1, Limit::flops, lstmn::flops(), 0.5},
    {"babi", "babi", 1, Limit::flops, babi::flops(), 0.25},
    {"bahdanau", "translation", static_cast<int>(bahdanau::cycle().size()), Limit::flops,
     bahdanau::flops(), 0.5},
    {"translator", "translation", static_cast<int>(translator::cycle().size()), Limit::flops,
     translator::flops(), 0.65},
    {"greedy", "translation", 1, Limit::flops, bahdanau::decoding_flops(true), 0.3},
    {"beam", "translation", 1, Limit::flops, bahdanau::decoding_flops(false), 0.5},
    {"chain", "overhead", 200, Limit::bytes, chain::bytes(), 0.08},
    {"tiny", "overhead", 200, Limit::flops, tiny::flops(), 0.12},
};

}  // namespace bench
