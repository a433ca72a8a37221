#include "read_model.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <set>

#include "../core/error.h"
#include "../core/protobuf.h"
#include "../core/quoted.h"
#include "../io/file.h"
#include "tensor_value.h"

namespace heed::onnx {
namespace {

constexpr int kMaxDepth = 16;  // of graphs in nodes of graphs

// AttributeProto.AttributeType
constexpr std::array<const char*, 15> kAttributeTypes = {
    "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
    "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
    "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path)
      : bytes_(bytes), path_(path), external_(path) {}

  Model read() {
    Model out;
    bool graph = false;
    ProtobufMessage message(bytes_, path_);
    for (ProtobufField field; message.next(field);) {
      switch (field.number) {
        case 1: out.ir_version = integer(message, field, "ir_version"); break;
        case 2: text(message, field, "producer_name", out.producer_name); break;
        case 3: text(message, field, "producer_version", out.producer_version); break;
        case 4: text(message, field, "domain", out.domain); break;
        case 5: out.model_version = integer(message, field, "model_version"); break;
        case 6: text(message, field, "doc_string", out.doc); break;
        case 7:
          if (graph) fail(field, "a second graph");
          out.graph = read_graph(part(message, field, "graph"), field, 0);
          graph = true;
          break;
        case 8: read_opset(part(message, field, "opset_import"), field, out); break;
        case 14: read_metadata(part(message, field, "metadata_props"), out); break;
        case 20: fail(field, "a graph of training, which cannot be read");
        case 25: fail(field, "a function of the model's own, which cannot be read");
        default: break;
      }
    }
    if (!graph) throw FormatError(path_, 0, "onnx: there is no graph");
    if (out.opsets.empty()) throw FormatError(path_, 0, "onnx: no set of operators is imported");
    return out;
  }

 private:
  [[noreturn]] void fail(const ProtobufField& field, const std::string& what) const {
    throw FormatError(path_, field.place, "onnx: " + what);
  }
  ProtobufMessage part(const ProtobufMessage& message, const ProtobufField& field,
                       const char* what) const {
    message.want(field, 2, what);
    return {field.bytes, path_, field.place};
  }
  static std::int64_t integer(const ProtobufMessage& message, const ProtobufField& field,
                              const char* what) {
    message.want(field, 0, what);
    return static_cast<std::int64_t>(field.value);
  }
  static void text(const ProtobufMessage& message, const ProtobufField& field, const char* what,
                   std::string& to) {
    message.want(field, 2, what);
    to = field.bytes;
  }

  void read_opset(ProtobufMessage message, const ProtobufField& at, Model& out) const {
    std::string domain;
    std::int64_t version = 0;
    for (ProtobufField field; message.next(field);) {
      if (field.number == 1) text(message, field, "domain", domain);
      if (field.number == 2) version = integer(message, field, "version");
    }
    if (domain == "ai.onnx") domain.clear();  // the same
    if (version < 1)
      fail(at, fmt::format("version {} of the operators of {}", version, in_quotes(domain)));
    if (!out.opsets.emplace(domain, version).second)
      fail(at, "the operators of " + in_quotes(domain) + " are imported twice");
  }

  static void read_metadata(ProtobufMessage message, Model& out) {
    std::string key, value;
    for (ProtobufField field; message.next(field);) {
      if (field.number == 1) text(message, field, "key", key);
      if (field.number == 2) text(message, field, "value", value);
    }
    out.metadata[key] = value;
  }

  Graph read_graph(ProtobufMessage message, const ProtobufField& at, int depth) {
    if (depth > kMaxDepth) fail(at, fmt::format("graphs in more than {} graphs", kMaxDepth));
    Graph out;
    for (ProtobufField field; message.next(field);) {
      switch (field.number) {
        case 1: out.nodes.push_back(read_node(part(message, field, "node"), field, depth)); break;
        case 2: text(message, field, "a graph's name", out.name); break;
        case 5:
          out.initializers.push_back(read_tensor_value(part(message, field, "initializer"), path_,
                                                       field.place, external_));
          break;
        case 10: text(message, field, "doc_string", out.doc); break;
        case 11: out.inputs.push_back(read_value(part(message, field, "input"), field)); break;
        case 12: out.outputs.push_back(read_value(part(message, field, "output"), field)); break;
        case 13: out.values.push_back(read_value(part(message, field, "value_info"), field)); break;
        case 15: fail(field, "a sparse initializer, which cannot be read");
        default: break;
      }
    }
    return out;
  }

  Node read_node(ProtobufMessage message, const ProtobufField& at, int depth) {
    Node out;
    out.place = at.place;
    const auto one_more = [&](const ProtobufField& field, std::vector<std::string>& to) {
      message.want(field, 2, "a node's value");
      to.emplace_back(field.bytes);
    };
    for (ProtobufField field; message.next(field);) {
      switch (field.number) {
        case 1: one_more(field, out.inputs); break;
        case 2: one_more(field, out.outputs); break;
        case 3: text(message, field, "a node's name", out.name); break;
        case 4: text(message, field, "op_type", out.op_type); break;
        case 5:
          out.attributes.push_back(read_attribute(part(message, field, "attribute"), field, depth));
          break;
        case 6: text(message, field, "doc_string", out.doc); break;
        case 7: text(message, field, "a node's domain", out.domain); break;
        default: break;
      }
    }
    if (out.op_type.empty()) fail(at, "a node without an operator");
    if (out.domain == "ai.onnx") out.domain.clear();
    std::set<std::string_view> names;
    for (const Attribute& attribute : out.attributes) {
      if (!names.insert(attribute.name).second)
        fail(at, fmt::format("{} has {} twice", in_quotes(out.op_type), in_quotes(attribute.name)));
    }
    return out;
  }

  Attribute read_attribute(ProtobufMessage message, const ProtobufField& at, int depth) {
    Attribute out;
    std::uint64_t type = 0;
    std::uint64_t found = 0;  // the type of the field that was there
    const auto is = [&](const ProtobufField& field, std::uint64_t what) {
      if (found != 0 && found != what) fail(field, "an attribute of two types");
      found = what;
    };
    const auto list = [&]<class T>(std::vector<T>*) -> std::vector<T>& {
      if (!std::holds_alternative<std::vector<T>>(out.value)) out.value = std::vector<T>();
      return std::get<std::vector<T>>(out.value);
    };
    const auto floating = [](std::uint64_t bits) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    };
    for (ProtobufField field; message.next(field);) {
      switch (field.number) {
        case 1: text(message, field, "an attribute's name", out.name); break;
        case 2:
          is(field, 1);
          message.want(field, 5, "f");
          out.value = floating(field.value);
          break;
        case 3:
          is(field, 2);
          out.value = integer(message, field, "i");
          break;
        case 4: {
          is(field, 3);
          std::string own;
          text(message, field, "s", own);
          out.value = std::move(own);
          break;
        }
        case 5:
          is(field, 4);
          out.value = read_tensor_value(part(message, field, "t"), path_, field.place, external_);
          break;
        case 6:
          is(field, 5);
          out.value =
              std::make_shared<Graph>(read_graph(part(message, field, "g"), field, depth + 1));
          break;
        case 7: {
          is(field, 6);
          auto& to = list(static_cast<std::vector<float>*>(nullptr));
          if (field.kind == 2) {
            ProtobufMessage packed(field.bytes, path_, field.place);
            for (std::uint64_t bits; packed.next_packed(5, bits);) to.push_back(floating(bits));
          } else {
            message.want(field, 5, "floats");
            to.push_back(floating(field.value));
          }
          break;
        }
        case 8: {
          is(field, 7);
          auto& to = list(static_cast<std::vector<std::int64_t>*>(nullptr));
          if (field.kind == 2) {
            ProtobufMessage packed(field.bytes, path_, field.place);
            for (std::uint64_t own; packed.next_packed(0, own);)
              to.push_back(static_cast<std::int64_t>(own));
          } else {
            to.push_back(integer(message, field, "ints"));
          }
          break;
        }
        case 9:
          is(field, 8);
          message.want(field, 2, "strings");
          list(static_cast<std::vector<std::string>*>(nullptr)).emplace_back(field.bytes);
          break;
        case 20:
          message.want(field, 0, "an attribute's type");
          type = field.value;
          break;
        case 21: fail(field, "an attribute that refers to a function's, which cannot be read");
        case 10:
        case 11:
        case 14:
        case 15:
        case 22:
        case 23:
          fail(field,
               "an attribute of tensors, graphs, types or sparse tensors, which cannot be read");
        default: break;
      }
    }
    const std::string quoted = in_quotes(out.name);
    if (type >= kAttributeTypes.size() || type > 8) {
      fail(at, fmt::format("attribute {} is of type {}", quoted,
                           type < kAttributeTypes.size() ? kAttributeTypes[type]
                                                         : fmt::format("{}", type)));
    }
    // Early files leave the type out; what is 0 or empty may be left out of a file.
    if (type == 0) type = found;
    if (type == 0) fail(at, "attribute " + quoted + " has no value");
    if (found == 0) {
      switch (type) {
        case 1: out.value = 0.0F; break;
        case 2: out.value = std::int64_t{0}; break;
        case 3: out.value = std::string(); break;
        case 6: out.value = std::vector<float>(); break;
        case 7: out.value = std::vector<std::int64_t>(); break;
        case 8: out.value = std::vector<std::string>(); break;
        default: fail(at, "attribute " + quoted + " has no value");
      }
    } else if (found != type) {
      fail(at, fmt::format("attribute {} is of type {} and has a value of type {}", quoted,
                           kAttributeTypes[type], kAttributeTypes[found]));
    }
    return out;
  }

  ValueInfo read_value(ProtobufMessage message, const ProtobufField&) {
    ValueInfo out;
    for (ProtobufField field; message.next(field);) {
      if (field.number == 1) text(message, field, "a value's name", out.name);
      if (field.number == 2) read_type(part(message, field, "a value's type"), out);
    }
    return out;
  }

  void read_type(ProtobufMessage message, ValueInfo& out) {
    for (ProtobufField field; message.next(field);) {
      switch (field.number) {
        case 1: read_tensor_type(part(message, field, "tensor_type"), out); break;
        case 4: fail(field, "a value that is a sequence, which cannot be read");
        case 5: fail(field, "a value that is a map, which cannot be read");
        case 8: fail(field, "a value that is a sparse tensor, which cannot be read");
        case 9: fail(field, "a value that is optional, which cannot be read");
        default: break;
      }
    }
  }

  void read_tensor_type(ProtobufMessage message, ValueInfo& out) {
    for (ProtobufField field; message.next(field);) {
      if (field.number == 1) {
        message.want(field, 0, "elem_type");
        out.type = static_cast<DataType>(field.value > 255 ? 255 : field.value);
      }
      if (field.number == 2) {
        out.shape.emplace();
        ProtobufMessage shape = part(message, field, "shape");
        for (ProtobufField dim; shape.next(dim);) {
          if (dim.number == 1) out.shape->push_back(read_dim(part(shape, dim, "dim"), dim));
        }
      }
    }
  }

  Dim read_dim(ProtobufMessage message, const ProtobufField& at) const {
    Dim out = std::string();
    for (ProtobufField field; message.next(field);) {
      if (field.number == 1) {
        const std::int64_t size = integer(message, field, "dim_value");
        if (size < 0) fail(at, fmt::format("a size of {}", size));
        out = size;
      }
      if (field.number == 2) {
        std::string own;
        text(message, field, "dim_param", own);
        out = std::move(own);
      }
    }
    return out;
  }

  std::string_view bytes_;
  const std::string& path_;
  ExternalData external_;
};

}  // namespace

Model decode_model(std::string_view bytes, const std::string& path) {
  return Reader(bytes, path).read();
}
Model read_model(const std::string& path) { return decode_model(io::read_file(path), path); }

}  // namespace heed::onnx
