// The files of page/, which are part of the program: none is read from disk while it runs.
#pragma once

namespace show {

extern const char* const kPage;
extern const char* const kStyle;
extern const char* const kScript;

}  // namespace show
