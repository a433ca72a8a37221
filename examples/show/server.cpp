#include "server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "../../core/error.h"
#include "answer.h"
#include "page.h"

namespace show {
namespace {

constexpr const char* kHost = "127.0.0.1";
constexpr int kThreads = 4;
constexpr time_t kSeconds = 5;  // for a request to arrive, or an answer to leave
constexpr const char* kJson = "application/json";

httplib::Headers headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "
           "data:; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cache-Control", "no-store"}};
}

}  // namespace

struct Server::State {
  explicit State(Demonstration& demonstration) : shown(demonstration) {}

  // Who asks by these names means this machine.
  bool is_own(const std::string& host) const {
    return host == fmt::format("{}:{}", kHost, port) || host == fmt::format("localhost:{}", port);
  }
  bool may_ask(const httplib::Request& request) const {
    if (!is_own(request.get_header_value("Host"))) return false;
    const std::string origin = request.get_header_value("Origin"), scheme = "http://";
    return origin.empty() || (origin.starts_with(scheme) && is_own(origin.substr(scheme.size())));
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    try {
      const std::lock_guard lock(mutex);
      response.set_content(shown.answer(request.body), kJson);
    } catch (const Error& error) {
      response.status = 400;
      response.set_content(Answer().set("error", std::string(error.what())).json(), kJson);
    }
  }

  Demonstration& shown;
  std::mutex mutex;
  httplib::Server server;
  int port = 0;
  std::atomic<bool> ended = false;
};

Server::Server(Demonstration& shown, int port) : state_(std::make_unique<State>(shown)) {
  State& state = *state_;
  httplib::Server& server = state.server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_payload_max_length(kLongest);
  server.set_read_timeout(kSeconds);
  server.set_write_timeout(kSeconds);
  server.set_keep_alive_timeout(kSeconds);
  server.set_default_headers(headers());
  // The port may be had again at once, but not beside another program that listens there.
  server.set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  });
  server.set_pre_routing_handler(
      [&state](const httplib::Request& request, httplib::Response& response) {
        if (state.may_ask(request)) return httplib::Server::HandlerResponse::Unhandled;
        response.status = 403;
        return httplib::Server::HandlerResponse::Handled;
      });
  const auto serve = [&server](const char* path, const char* content, const char* type) {
    server.Get(path, [content, type](const httplib::Request&, httplib::Response& response) {
      response.set_content(content, type);
    });
  };
  serve("/", kPage, "text/html; charset=utf-8");
  serve("/show.css", kStyle, "text/css; charset=utf-8");
  serve("/show.js", kScript, "text/javascript; charset=utf-8");
  server.Get("/about", [&state](const httplib::Request&, httplib::Response& response) {
    response.set_content(state.shown.about(), kJson);
  });
  server.Post("/answer", [&state](const httplib::Request& request, httplib::Response& response) {
    state.answer(request, response);
  });
  state.port =
      port == 0 ? server.bind_to_any_port(kHost) : (server.bind_to_port(kHost, port) ? port : -1);
  if (state.port < 0) throw ValueError(fmt::format("port {} of {} cannot be had", port, kHost));
}

Server::~Server() = default;
int Server::port() const { return state_->port; }
void Server::run() {
  state_->server.listen_after_bind();
  state_->ended = true;
}
void Server::stop() {
  // Before it runs there is nothing that could be stopped.
  while (!state_->server.is_running() && !state_->ended) std::this_thread::yield();
  state_->server.stop();
}

}  // namespace show
