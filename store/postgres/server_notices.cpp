#include "store/postgres/server_notices.hpp"

#include "base/events/log.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <exception>
#include <string_view>

namespace matchcloud::store {

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
