#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/text/uuid.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace matchcloud::actors {

/// Selects the lobbies of a survey by their columns in an export; an empty text matches all.
struct lobby_filter {
  std::string region_id = {};
  std::string tier = {};
  std::string version_id = {};
  std::string game_mode = {};
};

/// How many lobbies of a game started and ran in each part of a span.
struct lobby_history_query {
  static constexpr std::size_t buckets_limit = 500;
  /// The most versions, and the most game modes, that are listed.
  static constexpr std::size_t choices_limit = 200;

  model::time_span span;
  /// The most parts of equal length of the span, 1 to `buckets_limit`.
  std::size_t buckets = 1;
  lobby_filter of = {};
};

/// The lobbies of a game that run now, the oldest first.
struct running_lobbies_query {
  static constexpr std::size_t lobbies_limit = 1'000;

  /// Only lobbies that have run longer than this, in milliseconds.
  std::uint64_t longer_than_ms = 0;
  /// The most lobbies listed, 1 to `lobbies_limit`.
  std::size_t limit = 100;
  lobby_filter of = {};
};

/// A lobby of a game, whenever it runs or ran.
struct one_lobby_query {
  model::uuid lobby_id;
};

using lobby_survey_query =
    std::variant<lobby_history_query, running_lobbies_query, one_lobby_query>;

/// Reads the parameters that select the lobbies of a survey; absent ones are empty. Fails with
/// `query_invalid`.
base::expected<lobby_filter> read_lobby_filter(std::string region_id, std::string tier,
                                               std::string_view version_id, std::string game_mode);

/// Reads the parameters of a query for the history; absent ones are empty. Fails with
/// `query_invalid`.
base::expected<lobby_survey_query> read_history_query(std::string_view start, std::string_view end,
                                                      std::string_view buckets,
                                                      lobby_filter of = {});
/// The same for a query for running lobbies.
base::expected<lobby_survey_query> read_running_query(std::string_view longer_than_ms,
                                                      std::string_view limit, lobby_filter of = {});

/// How long a survey may take.
struct survey_bounds {
  const base::clock* clock = &base::machine_clock();
  /// After this time a survey stops and its result is partial.
  std::chrono::milliseconds patience{10'000};
  /// Returns true once the survey is no longer wanted. May be empty.
  std::function<bool()> is_unwanted = {};
};

/// The result of a survey, as JSON. Fails with `game_not_found`, `lobby_unknown` or the store's
/// error. A history that took too long is partial and says so. Blocks.
base::expected<std::string> survey_lobbies_of(const model::uuid& game_id,
                                              const lobby_survey_query& query, store::database& in,
                                              const survey_bounds& within);

} // namespace matchcloud::actors
