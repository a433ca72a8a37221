// heed.attention: looking at one place, drawn from the weights; glimpses. Who chooses is
// heed.stochastic's.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(HardOptions, score, evaluation, mean_probability)
HEED_FIELDS(HardCall, mask, choices, generator)
HEED_GIVES(HardAttentionOutput, context, weights, choice)
HEED_FIELDS(HardMonotonicOptions, score, sample)
HEED_GIVES(HardMonotonicOutput, context, place)
HEED_FIELDS(VariationalOptions, prior, posterior, evaluation)
HEED_GIVES(VariationalOutput, context, prior, posterior, kl, choice, log_prior)
HEED_FIELDS(GlimpseOptions, channels, size, scales, hidden, width, dtype)

namespace {

const char* const kLook =
    "query [.., Q, dq], keys [.., K, dk], values [.., K, dv]; choices: who chooses, in training "
    "always.";
const char* const kBegin = "A memory that is looked at step by step, as by a decoder.";

void bind_attention_of_one(py::module_& m) {
  record<HardAttentionOutput>(m, "context [.., Q, dv], the weights it was chosen by, the choice.");
  py::class_<HardMemory>(m, "HardMemory", kBegin)
      .def("attend", &HardMemory::attend, Free(), py::arg("query"), "query [.., Q, dq].")
      .def("step", &HardMemory::step, Free(), py::arg("query"), "query [.., dq].");
  Mechanism<HardAttention>(m, "Hard attention (Xu et al. 2015).")
      .init<const HardOptions&>()
      .forward("query, keys, values", &HardAttention::operator(), kLook)
      .keeping("begin", "keys, values", &HardAttention::begin, kBegin);
  record<HardMonotonicOutput>(m, "context [.., dv], place i64 [..].");
  py::class_<HardMonotonicMemory>(m, "HardMonotonicMemory", kBegin)
      .def("step", &HardMonotonicMemory::step, Free(), py::arg("query"), "query [.., dq].");
  Mechanism<HardMonotonic>(m, "Goes on from where it stopped (Raffel et al. 2017).")
      .init<const HardMonotonicOptions&>()
      .keeping("begin", "keys, values", &HardMonotonic::begin, kBegin);
  record<VariationalOutput>(m, "context, prior, posterior [.., Q, K], kl [.., Q], choice.")
      .def("bound", &VariationalOutput::bound, Free(), py::arg("log_likelihoods"),
           "The evidence lower bound [.., Q].")
      .def("log_likelihood", &VariationalOutput::log_likelihood, Free(), py::arg("log_likelihoods"),
           "log p(y) [.., Q].");
  Mechanism<VariationalAttention>(m, "The place is a latent variable (Deng et al. 2018).")
      .init<const VariationalOptions&>()
      .forward("query, knowing, keys, values", &VariationalAttention::operator(), kLook)
      .method("predict", "query, keys, values", &VariationalAttention::predict,
              "By the prior alone.");
}

void bind_glimpses(py::module_& m) {
  function(m, "glimpse_sensor", "images, centres, size, scales=1", &glimpse_sensor,
           "[B, C, H, W], [B, 2] in [-1, 1] -> [B, S C g g] (Mnih et al. 2014).");
  Mechanism<GlimpseNetwork>(m, "What and where (Mnih et al. 2014).")
      .init<const GlimpseOptions&>()
      .forward("images, centres", &GlimpseNetwork::operator(),
               "[B, C, H, W], [B, 2] -> [B, width].");
  Mechanism<LocationNetwork>(m, "The mean of the next place (Mnih et al. 2014).")
      .init<Index, DType, bool>("width, dtype, bounded")
      .forward("state", &LocationNetwork::operator(), "[.., width] -> [.., 2].");
}

}  // namespace

void bind_hard(py::module_& m) {
  bind_attention_of_one(m);
  bind_glimpses(m);
}

}  // namespace heed::python
