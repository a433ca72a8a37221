// The message of the error that a call throws.
#pragma once

#include <exception>
#include <string>

namespace heed {

template <class Thrown, class Body>
std::string thrown_text(const Body& body) {
  try {
    body();
  } catch (const Thrown& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("of another type: ") + error.what();
  }
  return "nothing was thrown";
}

}  // namespace heed
