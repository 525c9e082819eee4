#pragma once

#include <string>

struct pg_conn;

namespace matchcloud::store {

/// The longest line that a notice makes in the log.
inline constexpr std::size_t notice_limit_bytes = 1'000;

/// From now on what the server of a connection, or libpq itself, has to say (warnings, notices)
/// goes to the log, a bounded line each, and not to stderr. `place`, which must outlive the
/// connection, begins the lines.
void log_notices(pg_conn& of, const std::string& place);

} // namespace matchcloud::store
