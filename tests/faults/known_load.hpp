#pragma once

#include "tests/faults/clients.hpp"
#include "tests/service/server.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace matchcloud::faults {

/// The last report about a lobby. A higher value supersedes a lower one: `stopped` beats `running`.
enum class report : std::uint8_t { none, running, stopped };

/// The lobbies of one game: what was reported about each, and what of it was acknowledged, to
/// compare exports with. Any thread.
class lobby_ledger {
public:
  /// `number` distinguishes the ledgers of a test, and thereby their games.
  explicit lobby_ledger(std::uint32_t number);

  const std::string& game_id() const noexcept { return game_id_; }
  const std::string& namespace_id() const noexcept { return namespace_id_; }
  /// An import file with the game and its namespace.
  std::string catalog() const;

  struct batch {
    /// JSON Lines.
    std::string lines;
    std::vector<std::pair<std::size_t, report>> reports;
  };
  /// Up to `most` new lobbies, plus stops of some running ones.
  batch next(chances& by, std::size_t most);
  /// Call once the service has acknowledged the whole batch.
  void acknowledge(const batch& what);

  /// The reports acknowledged so far, by lobby.
  std::vector<report> acknowledged() const;
  /// What is wrong with an export of the game's whole history that was requested after `at_least`
  /// had been acknowledged; empty if nothing. Lobbies not yet acknowledged may be in the file, if
  /// they are correct.
  std::string problem_of(std::string_view csv, const std::vector<report>& at_least) const;

private:
  struct lobby {
    report tried = report::none;
    report acknowledged = report::none;
  };

  std::string lobby_id(std::size_t number) const;
  std::string line(std::size_t number, report what) const;
  /// A lobby's row without the columns that grow while it runs.
  std::string row(std::size_t number, report what) const;

  std::uint32_t number_;
  std::string game_id_;
  std::string namespace_id_;
  mutable std::mutex mutex_;
  std::vector<lobby> lobbies_;
  /// Lobbies acknowledged as running for which no stop was sent yet.
  std::vector<std::size_t> running_;
};

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
