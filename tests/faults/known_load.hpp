#pragma once

#include "tests/faults/chances.hpp"
#include "tests/faults/lobby_ledger.hpp"
#include "tests/service/server.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::faults {

/// The results of a number of requests.
struct tally {
  std::size_t requests = 0;
  std::size_t answers = 0;
  /// Requests whose connection broke before the answer was complete.
  std::size_t broken = 0;
  /// The number of answers by status.
  std::map<int, std::size_t> statuses;
  /// Answers with status 200 and a wrong body.
  std::set<std::string> wrong;

  tally& operator+=(const tally& other);
  /// Whether every request was answered, with 200.
  bool is_perfect() const;
};

std::string to_string(const tally& of);

/// One request of every operation of the service, repeated, with the expected answers.
class known_load {
public:
  /// Queries a healthy service to learn the correct answers.
  known_load(const e2e::world& in, const e2e::server& of);

  /// Calls the read-only operations one after the other, each on its own connection.
  tally ask_reading() const;
  /// Requests an export of a span not requested before, and downloads it.
  tally ask_export() const;
  /// Ingests lobbies and renames a region through the ops plane.
  tally ask_changing() const;
  /// Runs all of the above.
  tally ask_all() const;

  /// Runs `ask` `turns` times in each of `clients` concurrent threads.
  static tally repeat(std::size_t clients, std::size_t turns, const std::function<tally()>& ask);

private:
  template <class Check>
  static void ask(tally& into, const std::function<e2e::answer()>& request, Check check);

  const e2e::server* of_;
  mutable std::mutex mutex_;
  mutable lobby_ledger ledger_{9};
  mutable chances chances_{"chaos"};
  mutable std::atomic<std::uint64_t> turn_{0};
  std::string regions_;
  std::string avatars_;
  std::string media_target_;
  std::string media_;
};

} // namespace matchcloud::faults
