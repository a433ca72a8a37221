// Whether operators are being recorded, on this thread.
#pragma once

namespace heed {

namespace detail {
inline constinit thread_local bool t_recording = true;
inline constinit thread_local bool t_inference = false;
}  // namespace detail

/// True when operators on tensors that require a gradient go on the tape. Inside a backward pass:
/// true only with create_graph. Derivatives ask it before they take a fused kernel.
inline bool recording() { return detail::t_recording; }

/// True inside an InferenceMode.
inline bool inference() { return detail::t_inference; }

/// Sets the mode for a scope; inside an InferenceMode it stays off.
class GradMode {
 public:
  explicit GradMode(bool on) : before_(detail::t_recording) {
    detail::t_recording = on && !detail::t_inference;
  }
  ~GradMode() { detail::t_recording = before_; }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool before_;
};

/// Nothing is recorded while it lives.
class NoGrad : public GradMode {
 public:
  NoGrad() : GradMode(false) {}
};

/// Recording again, inside a NoGrad.
class EnableGrad : public GradMode {
 public:
  EnableGrad() : GradMode(true) {}
};

/// Nothing is recorded while it lives, not even under EnableGrad: for code that must never build a
/// graph. What needs one inside (create_graph, the backward pass of a checkpoint) throws GradError.
/// Results are ordinary constants: unlike PyTorch's they may be used in a recorded graph later.
class InferenceMode {
 public:
  InferenceMode() : before_(detail::t_inference) { detail::t_inference = true; }
  ~InferenceMode() { detail::t_inference = before_; }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

 private:
  bool before_;
  NoGrad off_;
};

}  // namespace heed
