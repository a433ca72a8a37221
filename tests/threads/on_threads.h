// The same work on several threads at once.
#pragma once

#include <barrier>
#include <exception>
#include <thread>
#include <vector>

namespace heed {

/// body(t) for t in [0, threads), which all begin together; rethrows the first exception.
template <class Body>
void on_threads(int threads, const Body& body) {
  std::barrier begin(threads);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(threads));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      begin.arrive_and_wait();
      try {
        body(t);
      } catch (...) {
        errors[static_cast<std::size_t>(t)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace heed
