// The interpreter's lock. Where the interpreter ends while a thread of Python still computes, as a
// daemon's does, that thread never gets the lock again: CPython before 3.14 ends it then and there
// (pthread_exit), and what that unwinds are destructors, which abort the process or touch objects
// without the lock. Here such a thread waits until the process is gone, as in CPython 3.14.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace heed::python {

/// For the thread that has no interpreter any more.
[[noreturn]] inline void stay() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// pybind11, but for the guards of the lock.
namespace py {
using namespace pybind11;

/// Lets go of the lock until it ends.
class gil_scoped_release {
 public:
  gil_scoped_release() : state_(PyEval_SaveThread()) {}
  ~gil_scoped_release() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // CPython throws nothing: the thread is being ended
      stay();
    }
  }
  gil_scoped_release(const gil_scoped_release&) = delete;
  gil_scoped_release& operator=(const gil_scoped_release&) = delete;

 private:
  PyThreadState* const state_;
};

/// Holds the lock until it ends, on whatever thread.
class gil_scoped_acquire {
 public:
  gil_scoped_acquire() {
    try {
      lock_.emplace();
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      stay();
    }
  }

 private:
  std::optional<pybind11::gil_scoped_acquire> lock_;
};

}  // namespace py

/// What f(*args, **kwargs) gives. Everything of Python's that may run for long is called by this:
/// a thread may lose the lock in there.
inline py::object called(py::handle f, py::handle args, py::handle kwargs = {}) {
  PyObject* out = nullptr;
  try {
    out = PyObject_Call(f.ptr(), args.ptr(), kwargs.ptr());
  } catch (...) {
    stay();
  }
  if (!out) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(out);
}

/// A function of Python's, called as called() does.
class HeldFunction : public py::object {
 public:
  explicit HeldFunction(py::object f) : py::object(std::move(f)) {}
  template <class... Args>
  py::object operator()(Args&&... args) const {
    static_assert(!(std::is_base_of_v<pybind11::detail::args_proxy, std::decay_t<Args>> || ...),
                  "called() takes a tuple");
    return called(*this, py::make_tuple(std::forward<Args>(args)...));
  }
};

/// A Python object that the library holds: it is let go of under the interpreter's lock, on
/// whatever thread.
class Held {
 public:
  explicit Held(py::object object)
      : object_(object.release().ptr(), [](PyObject* held) {
          if (!Py_IsInitialized()) return;
          const py::gil_scoped_acquire lock;
          Py_DECREF(held);
        }) {}
  /// Under the lock only.
  HeldFunction operator()() const {
    return HeldFunction(py::reinterpret_borrow<py::object>(object_.get()));
  }

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace heed::python
