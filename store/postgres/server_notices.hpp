#pragma once

#include <string>

struct pg_conn;

namespace matchcloud::store {

/// The longest log line of a notice.
inline constexpr std::size_t notice_limit_bytes = 1'000;

/// From now on warnings and notices of a connection's server, or of libpq itself, go to the log, in
/// one bounded line each, and not to stderr. Each line begins with `place`, which must outlive the
/// connection.
void log_notices(pg_conn& of, const std::string& place);

} // namespace matchcloud::store
