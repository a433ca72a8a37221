#include <fmt/format.h>

#include "../io/file.h"
#include "drawn_alignment.h"
#include "page_data.h"
#include "self_attention.h"
#include "self_attention_heads.h"
#include "self_attention_script.h"

namespace heed::train {
namespace {

constexpr const char* kNote =
    "How much each word looks at each word of the same text, for every head (a column) of every "
    "layer (a row). In a matrix a row is the word that looks; shades go up to its largest weight.";

void append_text(std::string& out, const SelfAttended& text) {
  out += "{\"words\":";
  append_words(out, text.words);
  out += ",\"layers\":[";
  for (const Array& layer : text.layers) {
    if (out.back() != '[') out += ',';
    out += '[';
    for (const Array& head : heads_of("self_attention_page", layer, text.words.size())) {
      if (out.back() != '[') out += ',';
      append_weights(
          out, drawn_weights("self_attention_page", head, text.words.size(), text.words.size()));
    }
    out += ']';
  }
  out += "]}";
}

}  // namespace

std::string self_attention_page(const std::string& title, const std::vector<SelfAttended>& texts) {
  std::string data = "[", articles;
  for (const SelfAttended& text : texts) {
    check_layers("self_attention_page", text);
    if (data.back() != '[') data += ",\n";
    append_text(data, text);
    articles += fmt::format(
        "<article class=\"card\"><header><b>{}</b><span class=\"soft\">{} words, {} layers</span>"
        "</header></article>\n",
        &text - texts.data() + 1, text.words.size(), text.layers.size());
  }
  return drawn_page(title, kSelfAttentionStyle, kNote, articles, data + "]", kSelfAttentionScript);
}

void write_self_attention(const std::string& path, const std::string& title,
                          const SelfAttended& text) {
  write_png(path + ".png", self_attention_picture(text));
  io::write_file_atomically(path + ".html", self_attention_page(title, {text}));
}

}  // namespace heed::train
