#pragma once

#include "tests/e2e/server.hpp"
#include "tests/faults/chances.hpp"
#include "tests/faults/lobby_ledger.hpp"

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

/// What became of requests.
struct tally {
  std::size_t requests = 0;
  std::size_t answers = 0;
  /// Requests whose connection broke before the answer was whole.
  std::size_t broken = 0;
  /// How often each status came.
  std::map<int, std::size_t> statuses;
  /// Answers of 200 that are not what was asked for.
  std::set<std::string> wrong;

  tally& operator+=(const tally& other);
  /// All answered, with 200.
  bool is_perfect() const;
};

std::string to_string(const tally& of);

/// One of everything that the service does, asked again and again, and what the answers must be.
class known_load {
public:
  /// Asks a service that is well, to know the right answers.
  known_load(const e2e::world& in, const e2e::server& of);

  /// The operations that change nothing, one after the other, each on a connection of its own.
  tally ask_reading() const;
  /// An export of a span that was not asked for before, and its download.
  tally ask_export() const;
  /// Lobbies and a region's new name, by the ops plane.
  tally ask_changing() const;
  /// Everything above.
  tally ask_all() const;

  /// `turns` times what `ask` does, by each of `clients` threads at once.
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
