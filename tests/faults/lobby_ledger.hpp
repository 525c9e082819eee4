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

} // namespace matchcloud::faults
