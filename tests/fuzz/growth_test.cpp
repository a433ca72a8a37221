// Inputs of a megabyte that repeat what is small: each target still keeps its promises, that on
// memory above all, and takes seconds, which quadratic time would not.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../io/zip.h"
#include "../../pretrained/scored_tokens.h"
#include "../io/pickled.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

std::string repeated(std::string_view piece) {
  std::string out;
  while (out.size() < kBytes) out += piece;
  return out;
}

// piece(0), piece(1), ... with `between` them.
template <class Piece>
std::string numbered(const Piece& piece, const char* between = "") {
  std::string out = piece("0");
  for (int i = 1; out.size() < kBytes; ++i) out += between + piece(std::to_string(i));
  return out;
}

std::string with_length(const std::string& header) {
  std::string out(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<char>(header.size() >> (8 * i));
  return out + header;
}

std::string key_and_text(const std::string& n) { return "\"" + n + "\":\"\""; }

TEST(Growth, OfJson) {
  config("{" + numbered(key_and_text, ",") + "}");
  config("{\"a\":" + repeated("[") + "}");
  config("{\"a\":" + repeated("9") + "}");
  config("{\"a\":\"" + repeated("\\u0000") + "\"}");
  for (const std::string& rest :
       {"\"z\":[" + repeated("0,") + "0]}", "\"z\":" + repeated("["), repeated("\"z\":0,"),
        numbered(key_and_text, ",") + "}", "\"z\":[" + repeated("\"\",") + "0]}"}) {
    json_lines(std::string("\0", 1) + "{\"y\":\"p\",\"x\":\"a\"," + rest);
  }
  json_lines(std::string("\1{\"x\":[", 7) + repeated("\"\",") + "\"a\"]}");
  json_lines(std::string("\1", 1) + repeated("{\"x\":\"a\"}\n"));
}

TEST(Growth, OfSafetensors) {
  const auto entry = [](const std::string& n) {
    return "\"" + n + "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
  };
  const std::string entries = with_length("{" + numbered(entry, ",") + "}");
  safetensors(entries);
  training_state(entries);
  model_directory("{\"model\":\"learner\",\"words\":2}\xFF<pad>\n<unk>\n\xFF" + entries);
  safetensors(with_length("{\"__metadata__\":{" + numbered(key_and_text, ",") + "}}"));
  safetensors(with_length("{\"a\":{\"dtype\":\"F32\",\"shape\":[" + repeated("1,") + "1]}}"));
  safetensors(with_length("{\"a\":" + repeated("{\"a\":") + "}"));
  safetensors(
      with_length("{\"a\":{\"dtype\":\"F16\",\"shape\":[524288],\"data_offsets\":[0,1048576]}}") +
      std::string(kBytes, '\0'));
}

TEST(Growth, OfWords) {
  vocabulary("<pad>\n<unk>\n" + numbered([](const std::string& n) { return n + "\n"; }));
  vocabulary("<pad>\n<unk>\n" + repeated("a") + "\n");
  const std::string head = "words\n<unk>\n<s>\n</s>\na\n";
  coder(head + numbered([](const std::string& n) { return "b" + n + "\n"; }));
  coder(head + std::string(1, '\0') + repeated("a b "));
  for (const char* piece : {"a", "a ", ". ", "'", "\u2019", "<", "<a ", "<br>", "e.g. ", "A.",
                            "\u3002", "\xFF", "etc.\" ", "!?", "你", "\xE4\xBD", "\r\n"}) {
    SCOPED_TRACE(piece);
    const std::string text = repeated(piece);
    utf8(text);
    tokenizer(text);
    sentences(text);
    markup(text);
    text_file("p" + text);
    text_file("z" + text);
  }
}

TEST(Growth, OfLines) {
  tsv(std::string("\0", 1) + repeated("p\ta\n"));
  tsv(std::string("\0", 1) + repeated("\t"));
  tsv("\4y\tx\t" + numbered([](const std::string& n) { return n; }, "\t") + "\n");
  tsv("\4" + repeated("\t") + "\n");
  parallel_text("\1" + repeated("\t\n"));
  parallel_text("\1" + repeated("a\t"));
  parallel_text(std::string("\0", 1) + repeated("\n") + "\xFF" + repeated("\n"));
  parallel_text(std::string("\0", 1) + "a\n\xFF" + repeated("\n"));
  babi("1 " + repeated("a ") + ".\n2 B?\tc\t1\n");
  babi(repeated("1 A?\tb\t\n"));
  babi(numbered([](const std::string& n) { return std::to_string(std::stoi(n) + 1) + " A.\n"; }) +
       "1 A?\tb\t\n");
  babi("1 A.\n2 B?\tc\t" + repeated("1 ") + "\n");
  idx(std::string("\0\0\x08\1\0\x10\0\0", 8) + std::string(kBytes, 'a'));
}

TEST(Growth, OfLogs) {
  json_log("\1" + repeated("{\"step\":1}\n"));
  json_log("\1{\"step\":1," + numbered(key_and_text, ",") + "}\n");
  json_log("\1{\"step\":1,\"x\":{" + numbered(key_and_text, ",") + "}}\n");
  json_log("\1{\"step\":1,\"x\":" + repeated("["));
  csv_log("\1step\n" + repeated("1\n"));
  csv_log("\1step," + numbered([](const std::string& n) { return n; }, ",") + "\n");
  csv_log("\1step" + repeated(",") + "\n");
  csv_log("\1step," + repeated("a") + "\n" + repeated("1,2\n"));
}

TEST(Growth, OfTensorsInJson) {
  const auto entry = [](int i) {
    return "\"" + std::to_string(i) +
           "\":{\"shape\":[0],\"data\":\"\",\"dtype\":\"torch.float32\"}";
  };
  std::string entries = entry(0);
  for (int i = 1; i < 50000; ++i) entries += "," + entry(i);
  tensor_json("{" + entries + "}");
  family_config("{\"" + repeated("a") + "\":[" + repeated("0,") + "0]}");
  family_config("{\"" + repeated("a").substr(0, kBytes / 16) + "\":{" +
                numbered(key_and_text, ",") + "}}");
}

TEST(Growth, OfMembersOfAZip) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 65000; ++i) members.emplace_back(std::to_string(i), "");
  const std::string bytes = io::encode_zip(members);
  const io::ZipReader zip(bytes, "f");
  for (const auto& [name, content] : members) {
    const io::ZipMember* const found = zip.find(name);
    ASSERT_TRUE(found != nullptr && found->name == name);
  }
  EXPECT_EQ(zip.find("65000"), nullptr);
  EXPECT_EQ(zip.find(""), nullptr);
}

TEST(Growth, OfPickles) {
  const std::string begin = "\x80\2(", end = "t.";
  for (const char* piece : {"N", "]", ")", "}", "\x88", "K\7", "M\7\7", "(t", "](e", "\x8c\1a"}) {
    SCOPED_TRACE(piece);
    torch_file(begin + repeated(piece) + end);
  }
  torch_file(begin + "N" + repeated("\x85") + end);
  torch_file(begin + "N" + repeated("\x94") + end);
  torch_file(begin + repeated("(") + end);
  // A function is called with the same long tuple again and again.
  const std::string zero(1, '\0');
  const std::string tensor = pickled::tensor(pickled::storage("Float", "0", 1), 0, {1}, {1});
  torch_file(begin + "ctorch._utils\n_rebuild_parameter\nq" + zero + "(" + tensor +
             std::string(200000, 'N') + "tq\1" + repeated("h" + zero + "h\1R") + end);
}

TEST(Growth, OfScoredTokens) {
  const auto bytes_of = [](auto number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  std::string content = bytes_of(std::int32_t{5});
  for (const std::string text : {"<unk>", "<s>", "</s>", "a", "aa"}) {
    content += bytes_of(-1.0F) + bytes_of(static_cast<std::int32_t>(text.size())) + text;
  }
  InputFile file;
  const pretrained::ScoredTokens tokens(file.write(content), 5);
  const std::vector<Index> found = tokens.encode(repeated("a").substr(0, kBytes / 4), false);
  EXPECT_EQ(found, std::vector<Index>(kBytes / 8, 4));
}

}  // namespace
}  // namespace heed::fuzz
