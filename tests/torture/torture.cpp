// Ends processes that save, at random moments as kill -9 does, and looks at what they leave:
//   heed_torture saving KILLS DIR
//   heed_torture single-file KILLS DIR
//   heed_torture NAME KILLS DIR COMMAND...
// The first saves without pause (generations.h) beside a user's own files, the second does so with
// a file that is no directory's. The third runs a program that trains into DIR; once a training
// state is there it gets --resume as well, if KILLS ends with 'r'. One line at the end: name, kills,
// how many of them left a save unfinished, and findings, each of which is told on stderr. Exit code
// 1 when there was one.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/file.h"
#include "../../io/safetensors.h"
#include "generations.h"

namespace {

namespace fs = std::filesystem;
namespace io = heed::io;
using Clock = std::chrono::steady_clock;

std::mt19937_64 random_bits(15);

struct Tally {
  std::string name;
  long kills = 0, unfinished = 0, findings = 0;

  void found(const std::string& what) {
    ++findings;
    std::fprintf(stderr, "%s: after %ld kills: %s\n", name.c_str(), kills, what.c_str());
  }
  int tell() const {
    std::printf("%-20s %6ld kills  %6ld in a save  %ld findings\n", name.c_str(), kills, unfinished,
                findings);
    return findings == 0 ? 0 : 1;
  }
};

void pause(double seconds) {
  ::usleep(
      static_cast<useconds_t>(std::uniform_real_distribution<>(0, seconds)(random_bits) * 1e6));
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

std::string read_if_there(const fs::path& path) {
  return fs::exists(path) ? io::read_file(path.string()) : "";
}

// Kills a child that does body(), which has no end, at a random moment of its first milliseconds.
template <class Body>
void kill_soon(Tally& tally, const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      body();
    } catch (const heed::Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(3);
  }
  pause(0.004);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ++tally.kills;
  if (WIFEXITED(status)) tally.found("the saver ended by itself");
}

int torture_file(Tally& tally, long kills, const fs::path& folder) {
  const std::string path = (folder / "weights.safetensors").string();
  // By another name of the folder: what is left there is for the children to find.
  heed::save_file_generation((folder / "./weights.safetensors").string(), 1, 997);
  io::write_file_atomically((folder / "./notes").string(), "kept");
  long last = 1;
  while (tally.kills < kills) {
    const std::size_t before = entries(folder);
    kill_soon(tally, [&] {
      for (long i = last + 1;; ++i) heed::save_file_generation(path, i, 997);
    });
    tally.unfinished += entries(folder) > before;
    if (entries(folder) > before + 1) tally.found("a save left more than one file");
    std::string why;
    const long now = heed::generation_in_file(path, why);
    if (now < last) tally.found(now < 0 ? why : "a save was lost");
    last = std::max(now, last);
    if (read_if_there(folder / "notes") != "kept") tally.found("a file of the user's is gone");
    if (tally.findings > 10) break;
  }
  // What the dead left goes with the next save once it is so old that nobody can be writing it.
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool left = entry.path().filename().string().starts_with(".heed-");
    if (left) fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(25));
  }
  heed::save_file_generation(path, last + 1, 997);
  if (entries(folder) != 2) tally.found("the next save left what the dead had left");
  return tally.tell();
}

int torture_saving(Tally& tally, long kills, const fs::path& folder) {
  const std::string place = (folder / "model").string();
  heed::save_generation(place, 3, 997);
  fs::create_directories(place + "/notes/empty");
  io::write_file_atomically(place + "/notes/day", "kept");
  io::write_file_atomically(place + "/report.html", "kept, too");
  fs::create_symlink("../elsewhere", place + "/link");
  const bool exchanged =
      !std::getenv("HEED_REFUSE") ||
      std::string(std::getenv("HEED_REFUSE")).find("exchange") == std::string::npos;
  long last = 3;
  while (tally.kills < kills) {
    kill_soon(tally, [&] {
      for (long i = last + 1;; ++i) heed::save_generation(place, i, 997);
    });
    const bool half = entries(folder) > 1 || fs::exists(place + "/.heed-committed") ||
                      fs::exists(place + "/.heed-staged");
    tally.unfinished += half;
    if (entries(folder) > 2) tally.found("more than one save is left unfinished");
    std::string why;
    const long now = heed::generation_in(
        [&](const char* name) {
          return exchanged ? read_if_there(place + "/" + name)
                           : io::read_from_directory(place, name);
        },
        why);
    if (now < last) tally.found(now < 0 ? why : "a save was lost");
    last = std::max(now, last);
    if (read_if_there(place + "/notes/day") != "kept" ||
        read_if_there(place + "/report.html") != "kept, too" ||
        !fs::is_directory(place + "/notes/empty") || !fs::is_symlink(place + "/link")) {
      tally.found("a file of the user's is gone");
    }
    if (tally.findings > 10) break;
  }
  heed::save_generation(place, last + 1, 997);
  if (entries(folder) != 1) tally.found("the next save left what a dead one had left");
  if (entries(place) != 7) tally.found("the directory does not hold its seven entries");
  return tally.tell();
}

// The files of a model as far as they can be judged by themselves.
void check_model(Tally& tally, const fs::path& place, bool resumes) {
  if (!fs::exists(place)) return;
  try {
    for (const char* name : {io::kWeightsFile, io::kTrainingFile}) {
      if (name == std::string(io::kTrainingFile) && !resumes) continue;
      io::decode_safetensors(io::read_from_directory(place.string(), name), name);
    }
    io::Config::parse(io::read_from_directory(place.string(), io::kConfigFile), "config");
  } catch (const heed::Error& error) {
    tally.found(error.what());
  }
}

pid_t start(const std::vector<std::string>& command, const fs::path& log) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  static_cast<void>(!std::freopen(log.c_str(), "w", stdout));
  ::dup2(1, 2);
  std::vector<char*> argv;
  for (const std::string& each : command) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int torture_training(Tally& tally, long kills, bool resumes, const fs::path& folder,
                     const std::vector<std::string>& command) {
  const fs::path place = folder / "model", log = folder.string() + ".log";
  // What lies beside the model: the save under way, or left by the dead.
  const auto saves = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().string());
    names.erase(place.string());
    return names;
  };
  const auto new_saves = [&](const std::set<std::string>& before) {
    std::set<std::string> names = saves();
    std::erase_if(names, [&](const std::string& name) { return before.contains(name); });
    return names.size();
  };
  const auto written = [&] {
    std::error_code absent;
    return fs::last_write_time(place / io::kTrainingFile, absent);
  };
  double seconds = 0;  // about those of a run that nobody disturbs
  while (tally.kills < kills) {
    std::vector<std::string> line = command;
    const bool was_there = fs::exists(place);
    if (resumes && was_there) line.push_back("--resume");
    const std::set<std::string> before = saves();
    const fs::file_time_type written_before = written();
    const auto begin = Clock::now();
    const pid_t child = start(line, log);
    int status = 0;
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    if (seconds > 0) {
      const double end = std::uniform_real_distribution<>(0, seconds)(random_bits);
      const auto runs = [&] { return ::waitpid(child, &status, WNOHANG) == 0; };
      bool alive = true;
      while (passed() < end && (alive = runs())) ::usleep(500);
      // A save takes a hundredth of the time: each second kill waits for one, and falls at a random
      // moment of it or soon behind.
      if (tally.kills % 2 == 1) {
        while (alive && new_saves(before) == 0) alive = runs();
        if (alive) pause(0.0005);
      }
      if (alive) ::kill(child, SIGKILL);
    }
    ::waitpid(child, &status, 0);  // which fails, and changes nothing, when it was waited for
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    // Other work makes runs longer and shorter, and so does what is resumed.
    seconds = killed ? seconds * 1.05 : seconds == 0 ? passed() : (seconds + passed()) / 2;
    tally.kills += killed;
    if (killed) tally.unfinished += new_saves(before) > 0;
    // Behind a model that was deleted one may wait for the next whole save.
    const std::size_t left = saves().size(), own = new_saves(before);
    if (own > 1 || left > 2 || (own == 1 && left > 1 && was_there)) {
      tally.found("more than one save is left unfinished");
    }
    check_model(tally, place, resumes);
    if (!killed) {
      if (status != 0) tally.found("it ended by itself: " + read_if_there(log));
      // A run resumed at its end may have nothing to save, and what the dead left goes with a save.
      const bool saved = !resumes || written() != written_before;
      if (new_saves(before) > 0 || (saved && !saves().empty())) {
        tally.found("a run that ended left something beside its model");
      }
      fs::remove_all(place);
    }
    if (tally.findings > 10) break;
  }
  return tally.tell();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  Tally tally{argv[1]};
  const std::string kills = argv[2];
  const fs::path folder = argv[3];
  fs::create_directories(folder);
  try {
    if (argc == 4 && tally.name == "single-file") {
      return torture_file(tally, std::atol(argv[2]), folder);
    }
    if (argc == 4) return torture_saving(tally, std::atol(argv[2]), folder);
    return torture_training(tally, std::atol(argv[2]), kills.ends_with('r'), folder,
                            std::vector<std::string>(argv + 4, argv + argc));
  } catch (const std::exception& error) {
    tally.found(error.what());
    tally.tell();
    return 1;
  }
}
