// Module: the base of layers and models. Registering happens by constructing, in member
// initialisers, so that nothing can be forgotten:
//
//   class Tagger : public nn::Module {
//    public:
//     nn::Embedding& words = child<nn::Embedding>("words", 5000, 64);
//     nn::Linear& out = child<nn::Linear>("out", 64, 17);
//     Tensor& scale = parameter("scale", ones({17}));
//     Tensor operator()(const Tensor& ids) {
//       const Scope scope(*this);
//       return forwarded(out(words(ids)) * scale);
//     }
//   };
//
// operator() is an ordinary member function, with any arguments. One that passes what it returns
// through forwarded(), as every layer's does, can be hooked: register_forward_hook(). While its
// Scope lives, errors begin with the module's path, and profiles count what runs under it.
//
// Names and order are PyTorch's: a module's parameters, its buffers, then its children, each in
// order of construction; a child's names carry its own in front ("words.weight"). Assigning one
// parameter to another (`out.weight = words.weight`), or handing it to parameter(), ties them: one
// tensor, two names.
//
// Threads: any number may call one module at once and differentiate what it gives, unless the call
// itself writes, as BatchNorm does in training mode. Dropout draws from one generator for all of
// them. Everything that is not const wants the module for itself: train(), to(), load_state_dict(),
// zero_grad(), hooks. Modules that share no parameter may be trained at once.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/scope.h"
#include "hooks.h"

namespace heed::nn {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

class Module : public Part {
 public:
  Module();
  Module(const Module&) = delete;  // nor moved: its members refer into it. Hold a unique_ptr
  Module& operator=(const Module&) = delete;
  virtual ~Module();

  /// Every parameter once, tied ones under their first name. The tensors are handles, not copies.
  NamedTensors named_parameters() const;
  std::vector<Tensor> parameters() const;
  /// Every buffer once.
  NamedTensors named_buffers() const;
  /// The direct children, as long as this module lives.
  std::vector<std::pair<std::string, Module*>> children() const;

  /// Parameters and buffers under all of their names, off the tape. They share memory with the
  /// module: clone() what should outlive the next step.
  NamedTensors state_dict() const;
  /// Copies numbers into parameters and buffers, in place: optimizers and ties keep their hold.
  /// With `strict`, names must be exactly those of state_dict(); without, others are passed over on
  /// either side. Throws one ValueError that lists what is missing, unexpected, named twice or of
  /// another shape or dtype, the first three and how many more, and then has changed nothing.
  void load_state_dict(const NamedTensors& entries, bool strict = true);

  /// Training mode, which layers like Dropout ask for; on at first. Reaches all children.
  void train(bool on = true);
  void eval() { train(false); }
  bool training() const { return training_; }

  /// Forgets all gradients.
  void zero_grad();
  /// Converts floating parameters and buffers, in place; gradients go. Throws DTypeError unless f32
  /// or f64.
  void to(DType dtype);
  /// Freezes (false) or thaws all parameters; freezing forgets their gradients, so that optimizers
  /// pass them over.
  void requires_grad(bool on = true);

  /// Puts a hook on what this module returns, after those it has: called with each output, which it
  /// may replace, before the caller gets it. `output.register_hook(...)` in it hooks the gradient.
  /// Of several results it sees the first: `output` of a recurrent layer, `context` of a pooling.
  /// Throws ValueError for an empty one.
  HookId register_forward_hook(ForwardHook hook);
  /// Puts a hook on every parameter, once each, but the frozen: called with its name and each
  /// gradient that reaches it, which it may replace. Throws GradError when none is trained,
  /// ValueError for an empty hook.
  HookId register_hook(const ParameterHook& hook);
  /// Takes off a hook of either kind; nothing happens for an id that is gone.
  void remove_hook(HookId id);

  /// Its names from the root down, "encoder.layers.2"; empty for a root. A child of several
  /// modules has the place in the one whose forward runs on this thread, else in the first.
  std::string path() const override;
  /// The class without its namespace, "Linear".
  std::string class_name() const override;

  /// Elements of all parameters, each counted once.
  Index parameter_count() const;
  /// The tree for people: names, classes, shapes and counts, a line each.
  std::string summary() const;

 protected:
  using Scope = heed::Scope;

  /// Makes a T from `args` and owns it; the reference holds as long as this module. Throws
  /// ValueError for a name that is empty, taken, or has a '.'.
  template <class T, class... Args>
  T& child(std::string_view name, Args&&... args) {
    static_assert(std::is_base_of_v<Module, T>, "a child is a Module");
    check_name(name);
    T* const made = new T(std::forward<Args>(args)...);
    adopt(name, std::unique_ptr<Module>(made));
    return *made;
  }
  /// Registers a module that was made elsewhere, and that others may hold too, as an option's score
  /// is. Throws ValueError as child() does, GradError for none.
  template <class T>
  T& shared_child(std::string_view name, const std::shared_ptr<T>& made) {
    static_assert(std::is_base_of_v<Module, T>, "a child is a Module");
    check_name(name);
    adopt(name, made);
    return *made;
  }
  /// Registers a leaf that is trained (f32 or f64). An undefined tensor keeps the place of a
  /// parameter that this module goes without, such as the bias of a Linear: no list holds it.
  /// Throws ValueError as child() does, DTypeError, GradError for a result on the tape.
  Tensor& parameter(std::string_view name, Tensor tensor);
  /// Registers numbers that are saved and not trained, of any dtype.
  Tensor& buffer(std::string_view name, Tensor tensor);
  /// What the forward hooks make of `output`; all that operator() returns passes through here.
  Tensor forwarded(Tensor output) const;

 private:
  struct Slot {
    std::string name;
    Tensor tensor;
    bool is_buffer;
  };
  struct Child {
    std::string name;
    std::shared_ptr<Module> module;
  };
  struct Parent {
    const Module* module;
    std::string name;
  };

  void check_name(std::string_view name) const;
  void adopt(std::string_view name, std::shared_ptr<Module> child);
  Hooks& hooks();
  // module_path.cpp
  void add_parent(const Module& parent, std::string_view name);
  void leave_children();
  bool is_within(const Part& part) const;
  const Parent& parent() const;
  std::string path_here() const;
  /// Every defined tensor under its full name, in the order of state_dict().
  void collect(const std::string& prefix, std::vector<Slot>& out) const;
  std::vector<Slot> all() const;
  /// The same, each tensor once.
  std::vector<Slot> distinct() const;

  std::deque<Slot> slots_;  // a deque: addresses stay
  std::vector<Child> children_;
  std::vector<Parent> parents_;   // several for a shared child
  std::unique_ptr<Hooks> hooks_;  // none until the first is registered
  bool training_ = true;
};

}  // namespace heed::nn
