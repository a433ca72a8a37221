// A library to be preloaded (LD_PRELOAD) before a program whose file calls are to fail. It counts
// the calls that touch paths under HEED_FAULT_FOLDER, given as the kernel names it, and does to
// call number HEED_FAULT_AT (from 1; "5+" for that one and all that follow) what HEED_FAULT says:
//   eio, enospc, eintr   the call is not made and fails so
//   short                half of what was to be read or written
//   kill                 the process ends as by kill -9
//   vanish               the folder HEED_FAULT_VICTIM is deleted first
// HEED_REFUSE: what the file system is not able to: any of link, exchange, lock.
// HEED_FAULT_LATE: a file that somebody else makes right before two folders are exchanged.
// At the end the number of calls goes to the file HEED_FAULT_COUNT, and a line for each: its name
// and the path that decided.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<long> calls{0};
thread_local bool inside = false;  // calls of our own are not counted

const char* setting(const char* name) {
  const char* value = ::getenv(name);
  return value ? value : "";
}

bool is(const char* fault) { return ::strcmp(setting("HEED_FAULT"), fault) == 0; }

char told[1 << 18];  // the lines; what does not fit is left out
std::atomic<size_t> told_size{0};

// Whether the path is watched; then the call is noted, as are those on the folder itself.
bool watched(const char* name, const char* path) {
  const char* folder = setting("HEED_FAULT_FOLDER");  // ends with '/'
  const size_t length = ::strlen(folder);
  if (length == 0 || !path || ::strncmp(path, folder, length - 1) != 0) return false;
  if (path[length - 1] != '/' && path[length - 1] != 0) return false;
  char line[PATH_MAX + 64];
  const auto size = static_cast<size_t>(::snprintf(line, sizeof line, "%s %s\n", name, path));
  const size_t at = told_size.fetch_add(size);
  if (at + size < sizeof told) ::memcpy(told + at, line, size);
  return path[length - 1] == '/';
}

bool watched(const char* name, int fd) {
  char link[64], path[PATH_MAX + 1] = "";
  ::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return ::syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX) > 0 && watched(name, path);
}

void erase(const char* path) {
  char command[PATH_MAX + 16];
  ::snprintf(command, sizeof command, "rm -rf '%s'", path);
  ::unsetenv("LD_PRELOAD");
  if (::system(command) != 0) ::abort();
}

void make_late() {
  const char* path = setting("HEED_FAULT_LATE");
  static bool made = false;
  if (!*path || made) return;
  made = inside = true;
  FILE* const out = ::fopen(path, "w");
  if (!out || ::fputs("late", out) < 0 || ::fclose(out) != 0) ::abort();
  inside = false;
}

// Whether the call about to be made is the one.
template <class Target>
bool chosen(const char* name, Target target) {
  if (inside) return false;
  const int code = errno;
  const bool counts = watched(name, target);
  errno = code;
  if (!counts) return false;
  const char* at = setting("HEED_FAULT_AT");
  const long number = ++calls, first = ::atol(at);
  if (first == 0 || (::strchr(at, '+') ? number < first : number != first)) return false;
  if (is("kill")) ::raise(SIGKILL);
  if (is("vanish")) {
    inside = true;
    erase(setting("HEED_FAULT_VICTIM"));
    inside = false;
    errno = code;
  }
  return true;
}

int code_of_fault() { return is("eio") ? EIO : is("enospc") ? ENOSPC : is("eintr") ? EINTR : 0; }

bool refused(const char* what) { return ::strstr(setting("HEED_REFUSE"), what) != nullptr; }

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

struct Count {
  ~Count() {
    const char* path = setting("HEED_FAULT_COUNT");
    if (!*path) return;
    inside = true;
    if (FILE* out = ::fopen(path, "w")) {
      ::fprintf(out, "%ld\n%s", calls.load(), told);
      ::fclose(out);
    }
  }
} count;

}  // namespace

// The first argument that names a file decides.
#define HEED_WRAP(type, name, target, parameters, arguments)  \
  extern "C" type name parameters {                           \
    if (chosen(#name, target) && code_of_fault() != 0) {      \
      errno = code_of_fault();                                \
      return static_cast<type>(-1);                           \
    }                                                         \
    static const auto real = next<type(*) parameters>(#name); \
    return real arguments;                                    \
  }

HEED_WRAP(int, fsync, fd, (int fd), (fd))
HEED_WRAP(int, mkdir, path, (const char* path, mode_t mode), (path, mode))
HEED_WRAP(int, rmdir, path, (const char* path), (path))
HEED_WRAP(int, unlink, path, (const char* path), (path))
HEED_WRAP(int, rename, from, (const char* from, const char* to), (from, to))
HEED_WRAP(int, chmod, path, (const char* path, mode_t mode), (path, mode))
HEED_WRAP(int, chown, path, (const char* path, uid_t user, gid_t group), (path, user, group))
HEED_WRAP(int, stat, path, (const char* path, struct stat* out), (path, out))
HEED_WRAP(int, lstat, path, (const char* path, struct stat* out), (path, out))
HEED_WRAP(int, fstat, fd, (int fd, struct stat* out), (fd, out))
HEED_WRAP(int, access, path, (const char* path, int mode), (path, mode))

// Which close the descriptor all the same.
extern "C" int close(int fd) {
  const bool fails = chosen("close", fd) && code_of_fault() != 0;
  static const auto real = next<int (*)(int)>("close");
  const int result = real(fd);
  if (!fails) return result;
  errno = code_of_fault();
  return -1;
}

extern "C" int linkat(int, const char* from, int, const char* to, int flags) {
  if (refused("link")) return errno = EPERM, -1;
  if (chosen("linkat", from) && code_of_fault() != 0) return errno = code_of_fault(), -1;
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, flags));
}

extern "C" int renameat2(int, const char* from, int, const char* to, unsigned flags) {
  if (flags == RENAME_EXCHANGE && refused("exchange")) return errno = EINVAL, -1;
  if (flags == RENAME_EXCHANGE) make_late();
  if (chosen("renameat2", from) && code_of_fault() != 0) return errno = code_of_fault(), -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags));
}

extern "C" int flock(int fd, int operation) {
  if (refused("lock")) return errno = ENOLCK, -1;
  if (chosen("flock", fd) && code_of_fault() != 0) return errno = code_of_fault(), -1;
  return static_cast<int>(::syscall(SYS_flock, fd, operation));
}

namespace {
int open_unless_chosen(const char* path, int flags, mode_t mode) {
  if (chosen("open", path) && code_of_fault() != 0) return errno = code_of_fault(), -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
}  // namespace

// The mode is there only when a file may be made; else what is read is not used.
#define HEED_WRAP_OPEN(name)                              \
  extern "C" int name(const char* path, int flags, ...) { \
    va_list list;                                         \
    va_start(list, flags);                                \
    const mode_t mode = va_arg(list, mode_t);             \
    va_end(list);                                         \
    return open_unless_chosen(path, flags, mode);         \
  }

HEED_WRAP_OPEN(open)
HEED_WRAP_OPEN(open64)
extern "C" int __open_2(const char* path, int flags) { return open_unless_chosen(path, flags, 0); }
extern "C" int __open64_2(const char* path, int flags) {
  return open_unless_chosen(path, flags, 0);
}

extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  if (chosen("write", fd)) {
    if (code_of_fault() != 0) return errno = code_of_fault(), -1;
    if (is("short") && size > 1) size /= 2;
  }
  return ::syscall(SYS_write, fd, bytes, size);
}

extern "C" ssize_t read(int fd, void* bytes, size_t size) {
  if (chosen("read", fd)) {
    if (code_of_fault() != 0) return errno = code_of_fault(), -1;
    if (is("short") && size > 1) size /= 2;
  }
  return ::syscall(SYS_read, fd, bytes, size);
}

extern "C" ssize_t __read_chk(int fd, void* bytes, size_t size, size_t) {
  return read(fd, bytes, size);
}

extern "C" char* mkdtemp(char* name) {
  if (chosen("mkdtemp", name) && code_of_fault() != 0) return errno = code_of_fault(), nullptr;
  static const auto real = next<char* (*)(char*)>("mkdtemp");
  return real(name);
}

extern "C" DIR* opendir(const char* path) {
  if (chosen("opendir", path) && code_of_fault() != 0) return errno = code_of_fault(), nullptr;
  static const auto real = next<DIR* (*)(const char*)>("opendir");
  return real(path);
}

extern "C" dirent* readdir(DIR* folder) {
  if (chosen("readdir", ::dirfd(folder)) && code_of_fault() != 0)
    return errno = code_of_fault(), nullptr;
  static const auto real = next<dirent* (*)(DIR*)>("readdir");
  return real(folder);
}
extern "C" dirent64* readdir64(DIR* folder) { return reinterpret_cast<dirent64*>(readdir(folder)); }
