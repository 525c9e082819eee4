#include "store/postgres/server_messages.hpp"

#include "base/characters.hpp"
#include "base/events/log.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>

namespace matchcloud::store {

namespace {

using base::errc;

constexpr std::size_t state_bytes = 5;

struct row {
  /// A whole SQLSTATE, or the prefix of several, such as their class.
  std::string_view begins;
  sqlstate_meaning meaning;
};

constexpr std::string_view pooler_advice =
    "this connection has another client's prepared statements, so a pooler such as pgbouncer "
    "shares it among transactions: connect to the server directly, or set the pooler to session "
    "pooling";
constexpr std::string_view refused_advice =
    "a retry would be refused too: the tables of the schema matchcloud, their constraints and "
    "triggers must be as this program made them";

constexpr sqlstate_meaning transient_failure{errc::store_failed, true};
constexpr sqlstate_meaning refused_content{errc::internal, false, after_failure::keep,
                                           refused_advice};
constexpr sqlstate_meaning shared_connection{errc::store_failed, false, after_failure::reconnect,
                                             pooler_advice};

/// A prefix of another row's text must follow that row.
constexpr std::array rows{
    // Connections.
    row{"08", transient_failure},
    row{"57P04", {errc::store_failed, false}},                     // the database was dropped
    row{"57014", {errc::store_failed, true, after_failure::keep}}, // the time limit
    row{"57", transient_failure},
    // The content of a statement.
    row{"21", refused_content},
    row{"22", refused_content},
    row{"23", refused_content},
    row{"42501",
        {errc::store_failed, false, after_failure::reconnect,
         "grant the user what it needs: CREATE on the database at the first start"}},
    row{"42P05", shared_connection},
    row{"26000", shared_connection},
    // Missing tables: during a restore, or with another search_path behind a pooler.
    row{"42P01", {errc::store_failed}},
    row{"42703", {errc::store_failed}},
    row{"42883", {errc::store_failed}},
    row{"42", {errc::internal, false, after_failure::reconnect, refused_advice}},
    row{"44", refused_content},
    row{"54", refused_content},
    row{"P0", refused_content}, // raised by triggers
    // Other transactions.
    row{"40001", {errc::store_failed, true, after_failure::repeat}},
    row{"40P01", {errc::store_failed, true, after_failure::repeat}},
    row{"40", transient_failure},
    row{"55006", transient_failure},
    row{"55P03", transient_failure},
    // The server.
    row{"25006",
        {errc::store_failed, true, after_failure::reconnect,
         "this is a standby: connect to the primary, or list several hosts"}},
    row{"53100",
        {errc::store_full, true, after_failure::reconnect, "free some disk space on the server"}},
    row{"53300",
        {errc::store_failed, true, after_failure::reconnect,
         "the server has no connections left: raise its max_connections, or lower "
         "store-connections"}},
    row{"53", transient_failure},
};

bool is_state(std::string_view text) noexcept {
  return text.size() == state_bytes && std::ranges::all_of(text, [](char c) {
           return base::is_digit(static_cast<unsigned char>(c)) || (c >= 'A' && c <= 'Z');
         });
}

/// Removes the SQLSTATE from a line such as `FATAL:  57P03: the server is starting up`.
std::string take_state(std::string& line) {
  constexpr std::string_view before = ":  ";
  for (auto at = line.find(before); at != std::string::npos; at = line.find(before, at + 1)) {
    const auto begin = at + before.size();
    if (begin + state_bytes + 2 > line.size() || line.compare(begin + state_bytes, 2, ": ") != 0)
      continue;
    auto state = line.substr(begin, state_bytes);
    if (!is_state(state)) continue;
    line.erase(begin, state_bytes + 2);
    return state;
  }
  return {};
}

} // namespace

sqlstate_meaning meaning_of_sqlstate(std::string_view state) noexcept {
  for (const auto& [begins, meaning] : rows)
    if (state.starts_with(begins)) return meaning;
  return {};
}

std::string shown_sqlstate(std::string_view state) {
  return std::string{"[SQLSTATE "}.append(state).append("]");
}

refused_connection read_refusal(std::string_view message) {
  refused_connection made;
  while (!message.empty()) {
    const auto end = std::min(message.find('\n'), message.size());
    std::string line{message.substr(0, end)};
    message.remove_prefix(std::min(end + 1, message.size()));
    if (line.starts_with("LOCATION:")) continue; // in PostgreSQL's sources
    if (auto state = take_state(line); !state.empty()) made.state = std::move(state);
    if (!made.message.empty()) made.message += '\n';
    made.message += line;
  }
  return made;
}

namespace {

std::string_view field_of(const PGresult* notice, int field) {
  const auto* text = PQresultErrorField(notice, field);
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

base::log_level level_of(std::string_view severity) {
  if (severity == "WARNING") return base::log_level::warning;
  if (severity.starts_with("DEBUG")) return base::log_level::debug;
  return base::log_level::info; // NOTICE, INFO, LOG
}

std::string line_of(const std::string& place, const PGresult* notice) {
  auto line = place + ": " + std::string{field_of(notice, PG_DIAG_MESSAGE_PRIMARY)};
  for (const auto field : {PG_DIAG_MESSAGE_DETAIL, PG_DIAG_MESSAGE_HINT})
    if (const auto more = field_of(notice, field); !more.empty()) line.append("; ").append(more);
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::ranges::replace_if(line, is_control, ' ');
  if (line.size() <= notice_limit_bytes) return line;
  line.resize(notice_limit_bytes - 2);
  return line + "..";
}

void log(void* place, const PGresult* notice) noexcept {
  // libpq is C.
  try {
    auto severity = field_of(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    // libpq's own notices have only this one.
    if (severity.empty()) severity = field_of(notice, PG_DIAG_SEVERITY);
    base::log_at(level_of(severity), base::log_event::store_notice, "{}",
                 line_of(*static_cast<const std::string*>(place), notice));
  } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): no memory for the notice
  }
}

} // namespace

void log_notices(pg_conn& of, const std::string& place) {
  PQsetNoticeReceiver(&of, &log, const_cast<std::string*>(&place));
}

} // namespace matchcloud::store
