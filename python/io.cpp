// heed.io: safetensors, NumPy's, PyTorch's and llama.cpp's files, modules by their state, a
// training's state.
#include "../core/quoted.h"
#include "modules.h"

namespace heed::python {
namespace {

using namespace heed::io;

// What os.fspath() takes.
std::string path_of(const py::object& path) {
  auto text = py::module_::import("os").attr("fspath")(path).cast<std::string>();
  if (text.find('\0') != std::string::npos) {  // the system would take what stands before it
    throw ValueError("path: an embedded null character in " + std::string(py::repr(path)));
  }
  return text;
}

template <class Read>
auto unlocked(Read&& read) {
  const py::gil_scoped_release free;
  return read();
}

Element element_of(const std::string& floats) {
  if (floats == "f32") return Element::f32;
  if (floats == "f16") return Element::f16;
  if (floats == "bf16") return Element::bf16;
  throw ValueError("safetensors: floats are written as f32, f16 or bf16, not " + in_quotes(floats));
}

using Texts = std::map<std::string, std::string>;

void bind_safetensors(py::module_& m) {
  m.def(
      "save_file",
      [](const py::dict& tensors, const py::object& path, const std::optional<Texts>& metadata,
         const std::string& floats) {
        const NamedArrays arrays = arrays_of(tensors);
        const std::string to = path_of(path);
        unlocked(
            [&] { write_safetensors(to, arrays, metadata.value_or(Texts()), element_of(floats)); });
      },
      py::arg("tensors"), py::arg("filename"), py::arg("metadata") = py::none(), py::kw_only(),
      py::arg("floats") = "f32",
      "Writes a safetensors file, atomically. floats: f32, f16 or bf16.");
  m.def(
      "load_file",
      [](const py::object& path) {
        const std::string from = path_of(path);
        return dict_of(unlocked([&] { return read_safetensors(from); }).arrays);
      },
      py::arg("filename"),
      "The tensors of a safetensors file by their names. F16 and BF16 become f32.");
  m.def(
      "load_metadata",
      [](const py::object& path) { return SafetensorsFile(path_of(path)).metadata(); },
      py::arg("filename"));
  m.def(
      "load_sharded",
      [](const py::object& path) {
        const std::string from = path_of(path);
        return dict_of(unlocked([&] { return read_sharded_safetensors(from); }).arrays);
      },
      py::arg("index"), "The tensors of all files that a model.safetensors.index.json names.");
  py::class_<SafetensorsFile>(m, "SafetensorsFile",
                              "A file that is mapped, and read tensor by tensor.")
      .def(py::init([](const py::object& path) { return SafetensorsFile(path_of(path)); }),
           py::arg("filename"))
      .def("shapes", &SafetensorsFile::shapes)
      .def("metadata", &SafetensorsFile::metadata)
      .def("__contains__", &SafetensorsFile::has, py::arg("name"))
      .def(
          "read",
          [](const SafetensorsFile& file, const std::string& name) {
            return Tensor(file.read(name));
          },
          Free(), py::arg("name"));
}

void bind_others(py::module_& m) {
  m.def(
      "read_npy",
      [](const py::object& path) {
        const std::string from = path_of(path);
        return unlocked([&] { return Tensor(read_npy(from)); });
      },
      py::arg("filename"));
  m.def(
      "write_npy",
      [](const py::object& path, const Tensor& tensor) {
        const std::string to = path_of(path);
        unlocked([&] { write_npy(to, tensor.array()); });
      },
      py::arg("filename"), py::arg("tensor"));
  m.def(
      "read_npz",
      [](const py::object& path) {
        const std::string from = path_of(path);
        return dict_of(unlocked([&] { return read_npz(from); }));
      },
      py::arg("filename"));
  m.def(
      "write_npz",
      [](const py::object& path, const py::dict& tensors) {
        const std::string to = path_of(path);
        const NamedArrays arrays = arrays_of(tensors);
        unlocked([&] { write_npz(to, arrays); });
      },
      py::arg("filename"), py::arg("tensors"));
  m.def(
      "read_torch",
      [](const py::object& path) {
        const std::string from = path_of(path);
        const TorchFile file = unlocked([&] { return read_torch(from); });
        return std::pair(dict_of(file.arrays), file.values);
      },
      py::arg("filename"),
      "(tensors, values) of what torch.save() wrote, by their places in dicts and lists. Nothing "
      "of its pickle is "
      "run; what asks for anything but tensors and plain containers is a FormatError.");
  m.def(
      "read_gguf",
      [](const py::object& path) {
        const std::string from = path_of(path);
        const GgufFile file = unlocked([&] { return read_gguf(from); });
        return std::pair(dict_of(file.arrays), file.metadata);
      },
      py::arg("filename"), "(tensors, metadata) of a model of llama.cpp.");
}

void bind_saved(py::module_& m) {
  m.def(
      "save",
      [](const nn::Module& module, const py::object& path) {
        const std::string to = path_of(path);
        unlocked([&] { save(to, module); });
      },
      py::arg("module"), py::arg("filename"),
      "The module's state dict as one safetensors file, written atomically.");
  m.def(
      "load",
      [](nn::Module& module, const py::object& path) {
        const std::string from = path_of(path);
        unlocked([&] { load(from, module); });
      },
      py::arg("module"), py::arg("filename"),
      "Copies such a file into the module: all of it or nothing.");
  m.def(
      "save_training",
      [](const py::object& folder, const nn::Module& module, const optim::Optimizer& optimizer,
         const std::map<std::string, Index>& counts) {
        const std::string to = path_of(folder);
        const py::gil_scoped_release free;
        TrainingState state(module, optimizer);
        for (const auto& [name, count] : counts) {
          if (name.starts_with("model.") || name.starts_with("optimizer.")) {
            throw ValueError("save_training: a count named " + in_quotes(name) +
                             " would be read as a part of the " + name.substr(0, name.find('.')));
          }
          state.put(name, count);
        }
        write_file_atomically(to, state.encode());
      },
      py::arg("filename"), py::arg("module"), py::arg("optimizer"),
      py::arg("counts") = std::map<std::string, Index>(),
      "A training at one moment: parameters, optimizer, the default generator, counts by name. It "
      "goes on from "
      "there to the same bits.");
  m.def(
      "load_training",
      [](const py::object& path, nn::Module& module, optim::Optimizer& optimizer,
         const std::vector<std::string>& names) {
        const std::string from = path_of(path);
        const py::gil_scoped_release free;
        const TrainingState state = TrainingState::decode(read_file(from), from);
        std::map<std::string, Index> counts;
        for (const std::string& name : names)
          counts[name] = state.count(name, INT64_MIN, INT64_MAX);
        state.restore(module, optimizer);
        return counts;
      },
      py::arg("filename"), py::arg("module"), py::arg("optimizer"),
      py::arg("counts") = std::vector<std::string>());
}

}  // namespace

void bind_io(py::module_& m) {
  bind_safetensors(m);
  bind_others(m);
  bind_saved(m);
}

}  // namespace heed::python
