#include "post_processors.h"

#include "../../core/quoted.h"

namespace heed::data::tokenizers {
namespace {

// {"special_tokens": {"[CLS]": {"ids": [101], ..}}, "single": [{"SpecialToken": {"id": "[CLS]",
// "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]}
std::vector<Slot> read_slots(const JsonView& json, const JsonView& special) {
  std::vector<Slot> out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonView each = json[i];
    if (each.has("Sequence")) {
      const JsonView text = each["Sequence"];
      const JsonView id = text["id"];
      const std::string& name = id.text();
      if (name != "A" && name != "B") id.fail("must be A or B");
      out.push_back({.text = name == "A" ? 0 : 1, .type = text.integer("type_id", 0)});
      continue;
    }
    const JsonView token = each["SpecialToken"];
    const JsonView ids = special[token["id"].text()]["ids"];
    for (std::size_t at = 0; at < ids.size(); ++at) {
      out.push_back({.id = ids[at].integer(), .type = token.integer("type_id", 0)});
    }
  }
  return out;
}

void read_trims(const JsonView& json, Template& to) {
  to.trims = json.truth("trim_offsets", true);
  to.keeps_prefix = to.trims && json.truth("add_prefix_space", true);
}

// ["[SEP]", 102]
Index read_mark(const JsonView& json) {
  if (json.size() != 2) json.fail("must be a token and its number");
  return json[1].integer();
}

}  // namespace

Template read_template(const JsonView& json) {
  Template out;
  if (json.is_null()) return out;
  const std::string type = json["type"].text();
  if (type == "TemplateProcessing") {
    out.single = read_slots(json["single"], json["special_tokens"]);
    out.pair = read_slots(json["pair"], json["special_tokens"]);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    const Slot begin{.id = read_mark(json["cls"])}, end{.id = read_mark(json["sep"])};
    out.single = {begin, {.text = 0}, end};
    if (type == "BertProcessing") {
      out.pair = {begin, {.text = 0}, end, {.text = 1, .type = 1}, {.id = end.id, .type = 1}};
    } else {
      out.pair = {begin, {.text = 0}, end, end, {.text = 1}, end};
      read_trims(json, out);
    }
  } else if (type == "ByteLevel") {
    read_trims(json, out);
  } else if (type == "Sequence") {
    const JsonView list = json["processors"];
    bool adds = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Template each = read_template(list[i]);
      const bool plain = list[i]["type"].text() == "ByteLevel";
      if (!plain && adds) list[i].fail("adds tokens where another has");
      if (!plain) {
        out.single = each.single;
        out.pair = each.pair;
        adds = true;
      }
      out.trims = out.trims || each.trims;
      out.keeps_prefix = out.keeps_prefix || each.keeps_prefix;
    }
  } else {
    json["type"].fail("is " + in_quotes(type) + ", which is not known");
  }
  return out;
}

}  // namespace heed::data::tokenizers
