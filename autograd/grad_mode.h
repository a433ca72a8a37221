// Whether operators are being recorded, on this thread.
#pragma once

namespace heed {

namespace detail {
inline constinit thread_local bool t_recording = true;
}

/// True when operators on tensors that require a gradient go on the tape. Inside a backward pass:
/// true only with create_graph. Derivatives ask it before they take a fused kernel.
inline bool recording() { return detail::t_recording; }

/// Sets the mode for a scope.
class GradMode {
 public:
  explicit GradMode(bool on) : before_(detail::t_recording) { detail::t_recording = on; }
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

}  // namespace heed
