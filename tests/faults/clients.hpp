#pragma once

#include "tests/fixtures/built_from.hpp"
#include "tests/service/server.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace matchcloud::faults {

/// An answer that is wrong whatever happens to the service.
struct wrong_answer : std::logic_error {
  using std::logic_error::logic_error;
};

/// Client threads that repeat their turns until the service is gone or `finish` is called. Main
/// thread only.
class busy_clients {
public:
  busy_clients() = default;
  busy_clients(const busy_clients&) = delete;
  busy_clients& operator=(const busy_clients&) = delete;
  ~busy_clients() { finish(); }

  /// Starts a thread that repeats `turn`. `turn` throws `wrong_answer` for a wrong answer, or
  /// `std::runtime_error` if the service cannot be reached.
  void add(std::function<void()> turn);
  /// From now on an unreachable service is no failure.
  void expect_end() { may_be_gone_ = true; }
  /// Whether any client has ended early with a failure.
  bool is_wrong();
  /// Joins the threads. The first failure, or empty if there was none.
  std::string finish();

private:
  void work(const std::function<void()>& turn);
  void note(const std::string& what);

  std::atomic<bool> may_be_gone_{false};
  std::atomic<bool> finishing_{false};
  std::mutex mutex_;
  std::string wrong_;
  std::list<std::thread> threads_;
};

/// Sanitizers slow everything down several times: tests run fewer rounds under them.
inline const bool sanitized = fixtures::programs_are_sanitized();
/// The number of kills in CI; script/soak sets a higher one.
inline const std::uint64_t kills = sanitized ? 8 : 20;
/// The minimum time for which a fault is injected.
inline const std::chrono::milliseconds in_force{sanitized ? 400 : 150};

/// The integer in the environment variable `name`, with which script/soak requests more rounds;
/// `otherwise` if the variable is not set.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

/// The random choices of a test, seeded by MATCHCLOUD_SEED or else by a new seed in each run. The
/// seed is printed so that a failure can be reproduced, as far as processes and threads repeat
/// their timing. One thread at a time.
class chances {
public:
  /// Prints the seed and the name of the test.
  explicit chances(const char* test);
  /// An independent generator for another thread, seeded from this one.
  chances split() { return chances{engine_()}; }

  /// A uniform integer in [least, most].
  std::uint64_t between(std::uint64_t least, std::uint64_t most);
  std::chrono::milliseconds up_to(std::chrono::milliseconds most);
  bool one_in(std::uint64_t count) { return between(1, count) == 1; }

private:
  explicit chances(std::uint64_t seed) : engine_{seed} {}

  std::mt19937_64 engine_;
};

e2e::answer get(const e2e::address& from, const std::string& target, bool gzip = false);
/// The decompressed body of a gzip answer; throws if the body is not exactly one gzip stream.
std::string unpacked(const e2e::answer& got);

/// Requests the history of a game up to `end`, in milliseconds since 1970.
e2e::answer ask_export(const e2e::address& of, std::string_view game_id,
                       std::uint64_t end = UINT64_MAX);
/// Path and query of the download URL in an answer to `ask_export`; empty if there is none.
std::string download_target(const e2e::answer& exported);

/// Sends a request to the ops plane. A `body` is sent with Content-Length and no Content-Type.
e2e::answer ask_ops(const e2e::address& ops, const std::string& method, const std::string& target,
                    const std::string& body = {});
e2e::answer ingest(const e2e::address& ops, const std::string& lines);
/// The id of an upload that no demo has.
std::string upload_id(std::uint64_t number);
/// Renames a region with PUT.
e2e::answer put_region(const e2e::address& ops, const std::string& region_id,
                       const std::string& name);
/// The region's name according to the ops plane; empty if it has none.
std::string region_name(const e2e::address& ops, const std::string& region_id);

} // namespace matchcloud::faults
