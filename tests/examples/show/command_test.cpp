// The program as a user runs it: the JSON that it answers, and the server from outside.
#ifdef HEED_SHOW

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../command.h"

namespace {

using heed::Command;
using heed::Outcome;
using heed::Running;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

// What a server on this machine says to these bytes, until it ends the connection.
std::string said(int port, const std::string& request, in_addr_t address = INADDR_LOOPBACK) {
  const int out = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(address);
  std::string answer;
  if (::connect(out, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0) {
    for (std::size_t sent = 0; sent < request.size();) {
      const auto more = ::send(out, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (more <= 0) break;
      sent += static_cast<std::size_t>(more);
    }
    char buffer[4096];
    for (ssize_t n; (n = ::recv(out, buffer, sizeof(buffer), 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  ::close(out);
  return answer;
}

class ShowCommand : public Command {
 protected:
  ShowCommand() : Command(HEED_SHOW) {}

  static void trained(const std::string& program, const std::string& arguments) {
    const std::string line =
        "'" + program + "' train --threads 1 " + arguments + " > /dev/null 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }
  std::string classifier() const {
    trained(HEED_DOCUMENT_CLASSIFIER,
            "--documents 60 --epochs 1 --embedding 7 --hidden 5 --out " + path("hc"));
    return path("hc");
  }
  Json answered(const std::string& model, const std::string& text) const {
    return Json::parse(expect_success("answer --model " + model, text));
  }
};

// A server while a test runs.
class Served {
 public:
  explicit Served(const std::string& line) : program_(line) {
    program_.read_until("ends\n");
    const std::string& told = program_.output();
    port_ = std::stoi(told.substr(told.find("localhost:") + 10));
  }
  int port() const { return port_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string ask(const std::string& line, const std::string& headers = "",
                  const std::string& body = "") const {
    return said(port_, line + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers +
                           "Connection: close\r\nContent-Length: " + std::to_string(body.size()) +
                           "\r\n\r\n" + body);
  }
  Outcome end(int signal) { return program_.end(signal); }

 private:
  Running program_;
  int port_ = 0;
};

TEST_F(ShowCommand, ShadesADocument) {
  const Json seen = answered(classifier(), "The film was dull . I loved it !");
  ASSERT_EQ(seen["classes"].size(), 2U);
  EXPECT_NEAR(seen["classes"][0]["probability"].get<double>() +
                  seen["classes"][1]["probability"].get<double>(),
              1, 1e-3);
  EXPECT_GE(seen["classes"][0]["probability"], seen["classes"][1]["probability"]);
  EXPECT_GT(seen["entropy"], 0);
  EXPECT_LE(seen["entropy"], 1);
  ASSERT_EQ(seen["sentences"].size(), 2U);
  EXPECT_EQ(seen["sentences"][0]["words"],
            (std::vector<std::string>{"The", "film", "was", "dull", "."}));
  double sum = 0;
  for (const double weight : seen["sentences"][0]["weights"]) sum += weight;
  EXPECT_NEAR(sum, 1, 2e-3);
  EXPECT_NEAR(
      seen["sentences"][0]["weight"].get<double>() + seen["sentences"][1]["weight"].get<double>(),
      1, 1e-3);
}

TEST_F(ShowCommand, SaysWhereATranslationCameFrom) {
  trained(HEED_TRANSLATION,
          "--quick --sentences 40 --epochs 1 --model transformer --width 8 --hidden 8 --heads 2 "
          "--save " +
              path("tr"));
  const Json seen = answered(path("tr"), "the the the");
  const std::size_t K = seen["source"].size(), T = seen["target"].size();
  ASSERT_EQ(K, 4U);  // the end mark behind
  ASSERT_GT(T, 0U);
  ASSERT_FALSE(seen["looks"].empty());
  EXPECT_EQ(seen["looks"][0]["name"], "layer 1 head 1");
  ASSERT_EQ(seen["looks"][0]["rows"].size(), T);
  for (const Json& row : seen["looks"][0]["rows"]) EXPECT_EQ(row.size(), K);
  EXPECT_EQ(seen["self"][0]["name"], "encoder 1 head 1");
  EXPECT_EQ(seen["self"][0]["rows"].size(), K);
  EXPECT_EQ(answered(path("tr"), "")["target"].size(), 0U);
  std::string lots;
  for (int i = 0; i < 70; ++i) lots += "the ";
  EXPECT_EQ(answered(path("tr"), lots)["left_out"], 6);
}

TEST_F(ShowCommand, SaysWhatALanguageModelExpects) {
  const std::string small =
      "--steps 3 --sentences 60 --layers 2 --width 8 --heads 2 --context 12 --generate 0 --save ";
  trained(HEED_LANGUAGE_MODEL, small + path("lm"));
  const Json seen = answered(path("lm"), "the dog\xE4\xBD\xA0sees");
  EXPECT_EQ(seen["words"].size(), 12U);
  EXPECT_EQ(seen["words"][3], "\u2423");
  EXPECT_EQ(seen["words"][7], "\u4f60");  // as it was written, known or not
  EXPECT_EQ(seen["left_out"], 0);
  EXPECT_EQ(seen["surprise"].size(), 12U);
  EXPECT_EQ(seen["entropies"].size(), 12U);
  EXPECT_EQ(seen["next"].size(), 8U);
  ASSERT_EQ(seen["looks"].size(), 4U);
  for (std::size_t t = 0; t < 12; ++t) {
    double sum = 0;
    for (std::size_t k = 0; k < 12; ++k) {
      const double weight = seen["looks"][3]["rows"][t][k];
      if (k > t) {
        EXPECT_EQ(weight, 0);
      }
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 5e-3);
  }
  EXPECT_EQ(answered(path("lm"), "")["words"].size(), 0U);
  EXPECT_EQ(answered(path("lm"), "the cat sees the dog")["left_out"], 8);
  trained(HEED_LANGUAGE_MODEL, "--attention lstm " + small + path("lstm"));
  EXPECT_TRUE(answered(path("lstm"), "the dog")["looks"].empty());
}

TEST_F(ShowCommand, RefusesWhatItCannotShow) {
  expect_refused("answer --model " + path("none"), "none");
  const std::string model = classifier();
  expect_refused("answer --model " + model, "the text is not UTF-8", "\xFF");
  expect_refused("answer --model " + model, "the text has 8193 bytes; 8192 are read at most",
                 std::string(8193, 'a'));
  expect_refused("serve --port 70000 --model " + model, "--port");
  write("hc/config.json", "{\"model\": \"glimpses\"}");
  expect_refused("answer --model " + model, "the setting \"model\" is none that can be shown");
}

// As every program reads a model: what a save that was cut short left beside it comes back.
TEST_F(ShowCommand, MendsAModelThatWasTorn) {
  const std::string model = classifier(), config = model + "/config.json";
  std::filesystem::create_directory(model + ".new-4194303");
  std::filesystem::rename(config, model + ".new-4194303/config.json");
  EXPECT_EQ(answered(model, "Good .")["classes"].size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(config));
  std::filesystem::remove(config);
  expect_refused("answer --model " + model, "config.json: missing from the model directory");
}

TEST_F(ShowCommand, ServesItsPageAndNothingElse) {
  Served served(line("serve --port 0 --threads 1 --model " + classifier()));
  const std::string page = served.ask("GET /");
  EXPECT_THAT(page, AllOf(StartsWith("HTTP/1.1 200"),
                          HasSubstr("Content-Security-Policy: default-src 'none'"),
                          HasSubstr("X-Content-Type-Options: nosniff"), HasSubstr("<textarea")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));  // it asks nobody else
  EXPECT_THAT(served.ask("GET /show.js"), HasSubstr("'use strict'"));
  EXPECT_THAT(served.ask("GET /show.css"), HasSubstr("text/css"));
  EXPECT_THAT(served.ask("GET /about"), HasSubstr("\"kind\":\"classifier\""));
  EXPECT_THAT(served.ask("POST /answer", "", "I loved it"), HasSubstr("\"classes\":[{"));
  EXPECT_THAT(served.ask("POST /answer", "", "\xFF"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("the text is not UTF-8")));
  EXPECT_THAT(served.ask("POST /answer", "", std::string(9000, 'a')), StartsWith("HTTP/1.1 413"));
  for (const char* path :
       {"/config.json", "/../../etc/passwd", "/show.js/..", "//etc/passwd", "/%2e%2e/etc/passwd"}) {
    EXPECT_THAT(served.ask(std::string("GET ") + path), StartsWith("HTTP/1.1 404")) << path;
  }
  EXPECT_THAT(served.ask("GET /answer"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(served.ask("DELETE /"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(said(served.port(), "nonsense\r\n\r\n"), Not(HasSubstr("200")));
}

// Another page in the same browser may send requests here, and a name of its own may lead here.
TEST_F(ShowCommand, AnswersNoOtherSite) {
  Served served(line("serve --port 0 --threads 1 --model " + classifier()));
  EXPECT_THAT(served.ask("POST /answer", "Origin: http://somewhere.example\r\n", "a"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(served.ask("POST /answer", "Origin: null\r\n", "a"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(served.ask("POST /answer", "Origin: http://" + served.host() + "\r\n", "a"),
              StartsWith("HTTP/1.1 200"));
  const std::string get = "GET / HTTP/1.1\r\nConnection: close\r\nHost: ";
  EXPECT_THAT(said(served.port(), get + "somewhere.example\r\n\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(said(served.port(), get + "\r\n\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(said(served.port(), get + "localhost:" + std::to_string(served.port()) + "\r\n\r\n"),
              StartsWith("HTTP/1.1 200"));
  // Bound to 127.0.0.1 and to no other address of this machine.
  EXPECT_EQ(said(served.port(), get + served.host() + "\r\n\r\n", INADDR_LOOPBACK + 1), "");
}

TEST_F(ShowCommand, EndsCleanlyAndFreesItsPort) {
  const std::string model = classifier();
  int port = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    Served served(line("serve --threads 1 --port " + std::to_string(port) + " --model " + model));
    if (port != 0) {
      EXPECT_EQ(served.port(), port);
    }
    port = served.port();
    expect_refused("serve --port " + std::to_string(port) + " --model " + model, "cannot be had");
    EXPECT_THAT(served.ask("GET /"), StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(served.end(signal).code, 0);
  }
}

}  // namespace

#endif
