// The page of a demonstration, served on the loopback address alone.
//
//   GET /, /show.css, /show.js   the page;  nothing else is a file, and none is read from disk
//   GET /about                   what is shown, JSON
//   POST /answer                 a text, UTF-8 -> the model's answer, JSON; {"error": text} with 400
//
// What asks in another host's name, or from another page, is refused (403): no other site that
// stands open in the same browser reaches it. A request has kLongest bytes at most (413), and five
// seconds to arrive; the model answers one at a time.
#pragma once

#include <memory>

#include "demonstration.h"

namespace show {

class Server {
 public:
  /// Port 0: any that is free. Throws ValueError where it cannot be had. `shown` must outlive it.
  Server(Demonstration& shown, int port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// Until stop(), which another thread may call at any time.
  void run();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace show
