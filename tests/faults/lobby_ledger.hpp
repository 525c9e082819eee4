#pragma once

#include "tests/faults/chances.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::faults {

/// What is said of a lobby. Later ones stand for more: a stop beats none.
enum class report : std::uint8_t { none, running, stopped };

/// Lobbies of a game of its own: what was said of each, and what of that was acknowledged, to hold
/// exports against. Any thread.
class lobby_ledger {
public:
  /// `number` tells the ledgers of a test, and so their games, from each other.
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
  /// New lobbies, `most` at most, and stops of some that run.
  batch next(chances& by, std::size_t most);
  /// To be called once the service has said that it has all of it.
  void acknowledge(const batch& what);

  /// What has been acknowledged by now, by lobby.
  std::vector<report> acknowledged() const;
  /// What is wrong with a file of the game's whole history that was asked for when `at_least` had
  /// been acknowledged; empty: nothing. A lobby that was not acknowledged may be there, right.
  std::string problem_of(std::string_view csv, const std::vector<report>& at_least) const;

private:
  struct lobby {
    report tried = report::none;
    report acknowledged = report::none;
  };

  std::string lobby_id(std::size_t number) const;
  std::string line(std::size_t number, report what) const;
  /// Without what grows while the lobby runs.
  std::string row(std::size_t number, report what) const;

  std::uint32_t number_;
  std::string game_id_;
  std::string namespace_id_;
  mutable std::mutex mutex_;
  std::vector<lobby> lobbies_;
  /// Lobbies of which a running one was acknowledged and no stop tried.
  std::vector<std::size_t> running_;
};

} // namespace matchcloud::faults
