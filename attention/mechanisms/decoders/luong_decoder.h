// The decoder of Luong et al. 2015: the state of now asks where to look,
//
//   h_t = LSTM layers of E y_{t-1}, or with input feeding of [E y_{t-1}; htilde_{t-1}]
//   htilde_t = tanh(W_c [c_t; h_t])
//   global   a_t = softmax_s(score(h_t, hbar_s)), any score;  c_t = sum_s a_t(s) hbar_s
//   local-m, local-p: see local.h
//
// The softmax over words, W_s htilde_t, is the caller's. Words (E y_{t-1}) [B, T, E], source (hbar)
// [B, K, dk] -> htilde [B, T, out], weights (a) [B, T, K]. Without input feeding all steps are
// computed at once.
#pragma once

#include "../../../nn/cells.h"
#include "../../../nn/dropout.h"
#include "../../../nn/module_list.h"
#include "../../detail/decoder_checks.h"
#include "decoder.h"
#include "local.h"

namespace heed::attention {

enum class LuongAttention : std::uint8_t { global, local_m, local_p };

struct LuongOptions {
  Index word_width = 0;    ///< E
  Index source_width = 0;  ///< dk
  Index state_width = 0;   ///< H
  Index layers = 1;
  Index out = 0;  ///< width of htilde; 0: H
  bool input_feeding = false;
  LuongAttention attention = LuongAttention::global;
  std::shared_ptr<Score> score = {};  ///< none: Dot, which needs dk = H
  Index half_width = 10;              ///< D of local attention
  bool context_alone = false;  ///< htilde_t = tanh(W_c c_t): all that is predicted was looked at
  double dropout = 0;          ///< of each layer's output but the last one's, in training
  DType dtype = DType::f32;
};

class LuongDecoder : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, and scores that look back.
  explicit LuongDecoder(const LuongOptions& options);

 private:
  LuongOptions options_;

 public:
  nn::ModuleListOf<nn::LSTMCell>& layers;
  nn::Dropout& dropout;
  Local* local;         ///< null in global attention
  Score& score;         ///< the local one's, where there is one
  nn::Linear& combine;  ///< W_c [out, dk + H]; [out, dk] of the context alone

  struct State {
    std::vector<LstmState> layers;  ///< each [B, H]
    Tensor fed;                     ///< htilde_{t-1}, [B, out]; undefined without input feeding
    Index t = 0;
    Memory memory;
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// Row b of the source has lengths[b] places; none given: all. `begin`: the layers' first states,
  /// as an encoder's last ones; none: zeros. Throws ShapeError, DTypeError.
  State start(const Tensor& source, const std::vector<Index>& lengths = {},
              const std::vector<LstmState>& begin = {}) const;
  /// output (htilde) [B, out], weights [B, K]. Throws ShapeError, DTypeError; ValueError for terms
  /// that local attention does not take, a normaliser that goes on from query to query, and a state
  /// of other layers or another input_feeding. Global attention's bias broadcasts to [B, T, K], or
  /// [B, 1, K] of a step.
  StackOutput step(const Tensor& word, State& state, const Terms& terms = {}) const;
  StackOutput run(const Tensor& words, State& state, const Terms& terms = {},
                  const std::vector<Index>& lengths = {}) const;
  StackOutput operator()(const Tensor& words, const Tensor& source,
                         const std::vector<Index>& source_lengths = {}, const Terms& terms = {},
                         const std::vector<Index>& lengths = {}) const;

 private:
  Attended look(const Tensor& query, const State& state, const Terms& terms) const;
  Tensor of_fed() const;
  Tensor combined(const Tensor& context, const Tensor& h) const;
  Tensor next(const Tensor& from_word, const Tensor& of_fed, State& state) const;
};

}  // namespace heed::attention
