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
// A child held by value, `nn::Linear out{64, 17};`, would be in no list and no state dict: the
// first list of its owner's parameters (or child(), of that owner) throws ValueError that names
// both classes. What stands elsewhere, in a unique_ptr or a container of one's own, is not found:
// ModuleList and Sequential own any number.
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

#include <atomic>
#include <concepts>
#include <deque>
#include <iosfwd>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "../core/scope.h"
#include "hooks.h"
#include "named_tensors.h"

namespace heed::nn {

template <class T>
class Layer;

class Module : public Part {
 public:
  Module();
  Module(const Module&) = delete;  // nor moved: its members refer into it. Hold a unique_ptr
  Module& operator=(const Module&) = delete;
  virtual ~Module();

  // How large an object is, its class' operator delete is told: see held_by_value.cpp. Otherwise
  // they do what the global ones do.
  static void* operator new(std::size_t size) { return ::operator new(size); }
  static void* operator new(std::size_t size, std::align_val_t alignment) {
    return ::operator new(size, alignment);
  }
  static void* operator new(std::size_t, void* place) noexcept { return place; }
  static void operator delete(void* block) noexcept { ::operator delete(block); }
  static void operator delete(void* block, std::align_val_t alignment) noexcept {
    ::operator delete(block, alignment);
  }
  static void operator delete(Module* module, std::destroying_delete_t, std::size_t size);
  static void operator delete(Module* module, std::destroying_delete_t, std::size_t size,
                              std::align_val_t alignment);

  /// Every parameter once, tied ones under their first name. The tensors are handles, not copies.
  NamedTensors named_parameters() const;
  std::vector<Tensor> parameters() const;
  /// Every buffer once.
  NamedTensors::Entries named_buffers() const;
  std::vector<Tensor> buffers() const;
  /// The direct children, each once, as long as this module lives.
  std::vector<std::pair<std::string, Module*>> children() const;
  std::vector<std::pair<std::string, Module*>> named_children() const { return children(); }
  /// This module and all that are in it, each once, parents first.
  std::vector<Module*> modules();
  /// The same with their names from here, "" for this one.
  std::vector<std::pair<std::string, Module*>> named_modules();
  /// Calls change(module) of all that are in this module, and last of itself, as PyTorch does.
  template <class F>
  Module& apply(const F& change) {
    for (const auto& entry : children()) entry.second->apply(change);
    change(*this);
    return *this;
  }

  /// Parameters and buffers under all of their names, off the tape. They share memory with the
  /// module: clone() what should outlive the next step.
  NamedTensors state_dict() const;
  /// Copies numbers into parameters and buffers, in place: optimizers and ties keep their hold; bf16
  /// goes into f32, too. With `strict`, names must be exactly those of state_dict(); without, others
  /// are passed over on either side. Throws one ValueError that lists what is missing, unexpected,
  /// named twice or of another shape or dtype, three and how many more, and has changed nothing.
  /// GradError where what it would write is the result of an operator.
  void load_state_dict(const NamedTensors& entries, bool strict = true);
  /// The same of a map, or of arrays, as io::read_safetensors() gives them.
  template <class Entries>
  requires(!std::derived_from<Entries, NamedTensors> && requires(const Entries& entries) {
    NamedTensors(entries.begin(), entries.end());
  }) void load_state_dict(const Entries& entries, bool strict = true) {
    load_state_dict(NamedTensors(entries.begin(), entries.end()), strict);
  }
  template <class File>
  requires requires(const File& file) { file.arrays.begin(); }
  void load_state_dict(const File& file, bool strict = true) {
    load_state_dict(file.arrays, strict);
  }

  /// Training mode, which layers like Dropout ask for; on at first. Reaches all children, or none:
  /// see register_forward_hook().
  Module& train(bool on = true);
  Module& eval() { return train(false); }
  bool training() const { return training_; }
  bool is_training() const { return training_; }

  /// Forgets all gradients.
  void zero_grad();
  /// Converts floating parameters and buffers, in place; gradients go. Throws DTypeError unless f32
  /// or f64, GradError where one is the result of an operator, and then has changed nothing.
  void to(DType dtype);
  /// Freezes (false) or thaws all parameters; freezing forgets their gradients, so that optimizers
  /// pass them over. Throws as to().
  void requires_grad(bool on = true);

  /// Puts a hook on what this module returns, after those it has: called with each output, which it
  /// may replace, before the caller gets it. `output.register_hook(...)` in it hooks the gradient.
  /// Of several results it sees the first: `output` of a recurrent layer, `context` of a pooling.
  /// Where gradients reach a parameter of the module, or its mode is changed, after a Scope of it
  /// ended (but Scope::unhooked) or all of its children ran, and the hook was not called, its
  /// operator() does without forwarded(): GradError says so.
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
  Index num_parameters() const { return parameter_count(); }
  /// The tree for people: names, classes, shapes and counts, a line each.
  std::string summary() const;

  void half(Say<"heed computes in f32 and f64: module.to(DType::f32)"> = {}) const = delete;
  void to(const char*, Say<"heed computes on the processor: leave it out"> = {}) = delete;
  void cuda(Say<"heed computes on the processor: leave it out"> = {}) const = delete;
  void requires_grad_(bool, Say<"module.requires_grad(on)"> = {}) const = delete;
  void register_module(const char*, const Module&,
                       Say<"T& name = child<T>(\"name\", ...) as a member"> = {}) const = delete;
  void add_module(const char*, const Module&,
                  Say<"T& name = child<T>(\"name\", ...) as a member"> = {}) const = delete;
  void register_parameter(
      const char*, const Tensor&,
      Say<"Tensor& name = parameter(\"name\", tensor) as a member"> = {}) const = delete;
  void register_buffer(const char*, const Tensor&,
                       Say<"Tensor& name = buffer(\"name\", tensor) as a member"> = {}) const =
      delete;

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
  /// The same from options in braces: child<nn::LSTM>("encoder", {.input = 3, .hidden = 5}).
  template <class T>
  T& child(std::string_view name, const typename T::Options& options) {
    return child<T, const typename T::Options&>(name, options);
  }
  /// The same beside a layer's sizes: child<nn::Conv2d>("conv", 3, 8, 5, {.padding = 2}).
  template <class T>
  T& child(std::string_view name, Index size, const typename T::Options& others) {
    return child<T, Index&, const typename T::Options&>(name, size, others);
  }
  template <class T>
  T& child(std::string_view name, Index in, Index out, const typename T::Options& others) {
    return child<T, Index&, Index&, const typename T::Options&>(name, in, out, others);
  }
  template <class T>
  T& child(std::string_view name, Index in, Index out, Index kernel,
           const typename T::Options& others) {
    return child<T, Index&, Index&, Index&, const typename T::Options&>(name, in, out, kernel,
                                                                        others);
  }
  /// Registers a module that was made elsewhere, and that others may hold too, as an option's score
  /// is. Throws ValueError as child() does and for one that has this module in it, GradError for
  /// none.
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
  /// Lets go of a parameter's numbers, where its layer has them in "8 bits" or so: it keeps its
  /// shape and dtype, is read as NaN, is not trained, and the state dict is refused. What is tied
  /// to it stays. It cannot fail: `nothing` is what nothing_like() of the parameter gave.
  static Tensor nothing_like(const Tensor& parameter);
  void give_up(const Tensor& parameter, const Tensor& nothing, const char* for_what);
  /// Says that every operator() of this class passes through forwarded().
  void forwards_always() { always_forwards_ = true; }
  /// What the forward hooks make of `output`; all that operator() returns passes through here.
  Tensor forwarded(Tensor output) const;

 private:
  template <class T>
  friend class Layer;
  /// Takes the state of a Layer that is about to go.
  struct Handover {};
  Module(Module&& from, Handover);

  struct Slot {
    std::string name;
    Tensor tensor;
    bool is_buffer;
    const char* given_up = nullptr;  // for what
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
  /// Expects the forward hook `id` to be called, unless forwarded() is known to be.
  void watch(HookId id);
  // module_path.cpp
  void add_parent(const Module& parent, std::string_view name);
  void leave_children();
  /// Its children were `from`'s.
  void change_parent(const Module& from);
  bool is_within(const Part& part) const;
  const Parent& parent() const;
  std::string path_here() const;
  /// Throws GradError unless this is of class `layer` itself.
  void check_is(const std::type_info& layer) const;
  /// Throws ValueError when a module stands inside of this object and is nobody's child.
  void check_held_by_value() const;
  /// Every defined tensor under its full name, in the order of state_dict().
  void collect(const std::string& prefix, std::vector<Slot>& out) const;
  std::vector<Slot> all() const;
  /// The same; throws ValueError for what was given up.
  std::vector<Slot> whole(const char* who) const;
  /// The same, each tensor once.
  std::vector<Slot> distinct() const;

  std::deque<Slot> slots_;  // a deque: addresses stay
  std::vector<Child> children_;
  std::vector<Parent> parents_;                 // several for a shared child
  std::unique_ptr<Hooks> hooks_;                // none until the first is registered
  mutable std::atomic<bool> checked_ = false;   // check_held_by_value() found nothing
  mutable std::atomic<bool> forwards_ = false;  // forwarded() was called
  bool owned_ = false;                          // is somebody's child
  bool always_forwards_ = false;                // is a Layer
  bool training_ = true;
};

/// summary()
std::string to_string(const Module& module);
std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace heed::nn
