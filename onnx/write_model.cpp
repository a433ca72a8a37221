#include "write_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../core/error.h"
#include "../core/protobuf.h"
#include "../core/quoted.h"
#include "../io/file.h"
#include "../io/read_only.h"
#include "external_data.h"
#include "tensor_value.h"

namespace heed::onnx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;
constexpr std::size_t kAligned = 4096;  // of tensors beside the model, so that others may map them

class Writer {
 public:
  // `beside`: the name of the file for large tensors.
  Writer(std::size_t external_from, std::string beside)
      : external_from_(external_from), beside_(std::move(beside)) {}

  void write(const Model& model) {
    number(1, model.ir_version);
    text(2, model.producer_name);
    text(3, model.producer_version);
    text(4, model.domain);
    if (model.model_version != 0) number(5, model.model_version);
    text(6, model.doc);
    out_.message(7, [&] { write(model.graph); });
    for (const auto& [domain, version] : model.opsets) {
      out_.message(8, [&, &domain = domain, &version = version] {
        out_.text(1, domain);
        number(2, version);
      });
    }
    for (const auto& [key, value] : model.metadata) {
      out_.message(14, [&, &key = key, &value = value] {
        out_.text(1, key);
        out_.text(2, value);
      });
    }
    if (out_.bytes().size() > kMostBytes) {
      throw ValueError(fmt::format(
          "onnx: a model of {} bytes; a file ends at 2 GiB: set WriteOptions::external_from",
          out_.bytes().size()));
    }
  }

  const std::string& model() const { return out_.bytes(); }
  const std::string& data() const { return data_; }

 private:
  void number(std::uint64_t field, std::int64_t value) {
    out_.number(field, static_cast<std::uint64_t>(value));
  }
  // Left out when it is empty.
  void text(std::uint64_t field, const std::string& value) {
    if (!value.empty()) out_.text(field, value);
  }

  void write(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      out_.message(1, [&] { write(node); });
    }
    text(2, graph.name);
    for (const TensorValue& tensor : graph.initializers) {
      out_.message(5, [&] { write(tensor, true); });
    }
    text(10, graph.doc);
    for (const ValueInfo& value : graph.inputs) out_.message(11, [&] { write(value); });
    for (const ValueInfo& value : graph.outputs) out_.message(12, [&] { write(value); });
    for (const ValueInfo& value : graph.values) out_.message(13, [&] { write(value); });
  }

  void write(const Node& node) {
    for (const std::string& input : node.inputs) out_.text(1, input);
    for (const std::string& output : node.outputs) out_.text(2, output);
    text(3, node.name);
    out_.text(4, node.op_type);
    for (const Attribute& attribute : node.attributes) {
      out_.message(5, [&] { write(attribute); });
    }
    text(6, node.doc);
    text(7, node.domain);
  }

  void write(const Attribute& attribute) {
    out_.text(1, attribute.name);
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          std::int64_t type = 0;
          if constexpr (std::is_same_v<T, float>) {
            type = 1, out_.floating(2, value);
          } else if constexpr (std::is_same_v<T, std::int64_t>) {
            type = 2, number(3, value);
          } else if constexpr (std::is_same_v<T, std::string>) {
            type = 3, out_.text(4, value);
          } else if constexpr (std::is_same_v<T, TensorValue>) {
            type = 4, out_.message(5, [&] { write(value, false); });
          } else if constexpr (std::is_same_v<T, std::shared_ptr<Graph>>) {
            if (!value)
              throw ValueError("onnx: attribute " + in_short(attribute.name) + " has no graph");
            type = 5, out_.message(6, [&] { write(*value); });
          } else if constexpr (std::is_same_v<T, std::vector<float>>) {
            type = 6;
            for (const float each : value) out_.floating(7, each);
          } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
            type = 7;
            for (const std::int64_t each : value) number(8, each);
          } else {
            type = 8;
            for (const std::string& each : value) out_.text(9, each);
          }
          number(20, type);
        },
        attribute.value);
  }

  void write(const TensorValue& tensor, bool may_leave) {
    const std::size_t bytes = raw_bytes_of(tensor);
    for (const Index size : tensor.array.shape()) number(1, size);
    number(2, static_cast<std::int64_t>(tensor.type));
    text(8, tensor.name);
    if (!may_leave || bytes == 0 || bytes < external_from_) {
      write_raw(tensor, out_.room(9, bytes));
      return;
    }
    data_.resize((data_.size() + kAligned - 1) / kAligned * kAligned);
    const std::size_t begin = data_.size();
    data_.resize(begin + bytes);
    write_raw(tensor, data_.data() + begin);
    const auto entry = [&](const char* key, const std::string& value) {
      out_.message(13, [&] {
        out_.text(1, key);
        out_.text(2, value);
      });
    };
    entry("location", beside_);
    entry("offset", fmt::format("{}", begin));
    entry("length", fmt::format("{}", bytes));
    number(14, 1);
  }

  void write(const ValueInfo& value) {
    out_.text(1, value.name);
    if (value.type == DataType::undefined && !value.shape) return;
    out_.message(2, [&] {
      out_.message(1, [&] {
        number(1, static_cast<std::int64_t>(value.type));
        if (!value.shape) return;
        out_.message(2, [&] {
          for (const Dim& dim : *value.shape) {
            out_.message(1, [&] {
              if (const auto* const size = std::get_if<std::int64_t>(&dim)) {
                number(1, *size);
              } else {
                text(2, std::get<std::string>(dim));
              }
            });
          }
        });
      });
    });
  }

  std::size_t external_from_;
  std::string beside_, data_;
  ProtobufWriter out_;
};

// Calls use(message) with each message of this number.
template <class Use>
void each_message(ProtobufMessage message, const std::string& path, std::uint64_t number,
                  const Use& use) {
  for (ProtobufField field; message.next(field);) {
    if (field.number == number && field.kind == 2) {
      use(ProtobufMessage(field.bytes, path, field.place));
    }
  }
}

// Adds the names of the files that tensors of a graph lie in, and of the graphs in it.
void add_locations(const ProtobufMessage& graph, const std::string& path, int depth,
                   std::set<std::string>& to) {
  constexpr int kDeepest = 16;  // as they are read
  if (depth > kDeepest) return;
  each_message(graph, path, 5, [&](const ProtobufMessage& tensor) {
    each_message(tensor, path, 13, [&](ProtobufMessage entry) {
      std::string_view key, value;
      for (ProtobufField field; entry.next(field);) {
        if (field.number == 1) key = field.bytes;
        if (field.number == 2) value = field.bytes;
      }
      if (key == "location") to.emplace(value);
    });
  });
  each_message(graph, path, 1, [&](const ProtobufMessage& node) {
    each_message(node, path, 5, [&](const ProtobufMessage& attribute) {
      each_message(attribute, path, 6, [&](const ProtobufMessage& inner) {
        add_locations(inner, path, depth + 1, to);
      });
    });
  });
}

fs::path folder_of(const fs::path& place) {
  return place.has_parent_path() ? place.parent_path() : fs::path(".");
}

// Whether it is NAME.data or NAME.7.data, as files beside the model of this name are called here.
bool is_data_of(const std::string& name, const std::string& file) {
  const std::string_view end = ".data";
  if (!file.starts_with(name + ".") || !file.ends_with(end)) return false;
  if (file.size() == name.size() + end.size()) return true;
  if (file.size() < name.size() + end.size() + 2) return false;
  const std::string_view number =
      std::string_view(file).substr(name.size() + 1, file.size() - name.size() - 1 - end.size());
  return number.find_first_not_of("0123456789") == number.npos;
}

// Of the files beside the model at `place` those that it needs and no other does. None where one
// cannot be read: then they are not known to be of a model that goes.
std::vector<fs::path> data_of(const fs::path& place) {
  std::vector<fs::path> out;
  try {
    const std::string name = place.filename().string();
    std::set<std::string> there;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(place))) {
      const std::string file = entry.path().filename().string();
      if (is_data_of(name, file) && fs::is_regular_file(entry.symlink_status())) there.insert(file);
    }
    if (there.empty() || !fs::is_regular_file(place)) return {};
    const auto add = [](const fs::path& model, std::set<std::string>& to) {
      const std::string path = model.string(), bytes = io::read_file(path);
      each_message({bytes, path}, path, 7,
                   [&](const ProtobufMessage& graph) { add_locations(graph, path, 0, to); });
    };
    std::set<std::string> named, others;
    add(place, named);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(place))) {
      const bool other =
          entry.path().extension() == ".onnx" && entry.path().filename() != place.filename();
      if (other && fs::is_regular_file(entry.status())) add(entry.path(), others);
    }
    for (const std::string& file : named) {
      if (there.contains(file) && !others.contains(file)) out.push_back(folder_of(place) / file);
    }
  } catch (const Error&) {
    return {};
  } catch (const fs::filesystem_error&) {
    return {};
  }
  return out;
}

// Whether a model that could not be written without an error is there all the same, or may be.
bool may_be_there(const std::string& path, const std::string& bytes) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  try {
    return io::read_file(path) == bytes;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::string encode_model(const Model& model) {
  Writer writer(WriteOptions().external_from, "");
  writer.write(model);
  return writer.model();
}

void write_model(const std::string& path, const Model& model, const WriteOptions& options) {
  // A name that is free: while the new file is not whole, the old one keeps what lies beside it.
  const fs::path place(path);
  fs::path beside = place;
  beside += ".data";
  std::error_code ignored;
  for (int i = 1; fs::exists(beside, ignored); ++i) {
    beside = place;
    beside += fmt::format(".{}.data", i);
  }
  Writer writer(options.external_from, beside.filename().string());
  writer.write(model);
  if (io::read_only()) return;
  const std::vector<fs::path> before = data_of(place);
  if (!writer.data().empty()) io::write_file_atomically(beside.string(), writer.data());
  try {
    io::write_file_atomically(path, writer.model());
  } catch (...) {
    if (!writer.data().empty() && !may_be_there(path, writer.model())) fs::remove(beside, ignored);
    throw;
  }
  for (const fs::path& file : before) fs::remove(file, ignored);
}

}  // namespace heed::onnx
