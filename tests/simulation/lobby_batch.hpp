#pragma once

#include "model/lobbies/lobby.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/stored_state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::simulation {

/// The lines of one ingest, which clients send until an answer says that they are taken, and how
/// far they came. No two batches report the same lobby.
class lobby_batch {
public:
  lobby_batch(std::size_t number, chance& random);

  std::size_t number() const noexcept { return number_; }
  /// All lines. The last one may lack its line end.
  const std::string& body() const noexcept { return body_; }
  std::size_t line_count() const noexcept { return reports_.size(); }
  /// The offset behind a line's end.
  std::size_t end_of(std::size_t line) const { return ends_[line]; }
  std::uint64_t rejected_count() const noexcept;
  /// How many lines add to what those before them say.
  std::uint64_t news_count() const;

  /// The node was given that many bytes of the body, or all of it.
  void deliver(std::size_t bytes, bool whole);
  void take() noexcept { is_taken_ = true; }
  /// A client was told that all lines are in the store.
  bool is_taken() const noexcept { return is_taken_; }
  void begin_try() noexcept { ++tries_; }
  std::size_t tries() const noexcept { return tries_; }

  /// What is wrong if all lines should be among `stored`; empty if nothing.
  std::string find_missing(const lobby_map& stored) const;
  /// What is wrong if only lines that the node was given, from the first one on, may be among
  /// `stored`; empty if nothing. Adds the number of the batch's lobbies there to `found`.
  std::string find_undelivered(const lobby_map& stored, std::size_t& found) const;

private:
  void add_report(model::lobby made);
  void add_line(std::string text, std::optional<model::lobby> report);

  std::size_t number_;
  std::string body_;
  std::vector<std::size_t> ends_;
  /// By line; nothing where the line must be rejected.
  std::vector<std::optional<model::lobby>> reports_;
  /// How many lines the node was given at most, in one try.
  std::size_t delivered_ = 0;
  std::size_t tries_ = 0;
  bool is_taken_ = false;
};

} // namespace matchcloud::simulation
