// The message of an error that a call must throw.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace heed {

/// What `call` threw says; fails the test and gives "" when it threw nothing or something else.
template <class E, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace heed
