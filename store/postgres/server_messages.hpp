#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

struct pg_conn;

namespace matchcloud::store {

/// What happens to a connection after a failure that its server reported.
enum class after_failure : std::uint8_t {
  /// It is closed, and so are idle ones, which may have the same problem.
  reconnect,
  /// It stays usable: the failure concerns only the statement.
  keep,
  /// The same, and the transaction should be repeated at once.
  repeat,
};

/// The meaning of a failure that a PostgreSQL server reported.
struct sqlstate_meaning {
  /// `store_failed` if the server cannot be used now, `store_full`, or `internal` if it refuses the
  /// content of a statement and would do so again.
  base::errc code = base::errc::store_failed;
  /// Whether the failure may pass without any change here.
  bool may_pass = false;
  after_failure then = after_failure::reconnect;
  /// What the operator can do; empty if PostgreSQL's own message is enough.
  std::string_view advice{};
};

/// The meaning of a SQLSTATE (PostgreSQL's documentation, appendix A); `sqlstate_meaning{}` for an
/// unknown or empty one. Any thread.
sqlstate_meaning meaning_of_sqlstate(std::string_view state) noexcept;

/// `[SQLSTATE 53100]`, as errors have it in their details.
std::string shown_sqlstate(std::string_view state);

/// libpq's message about a failed connection attempt, and the server's SQLSTATE.
struct refused_connection {
  std::string message;
  /// The last one, if there were several hosts; empty if no server sent any.
  std::string state;
};
/// Parses such a message, which libpq must have made with PQERRORS_VERBOSE: only then does it have
/// a SQLSTATE, which alone identifies a refusal in any language.
refused_connection read_refusal(std::string_view message);

/// The longest log line of a notice.
inline constexpr std::size_t notice_limit_bytes = 1'000;

/// From now on warnings and notices of a connection's server, or of libpq itself, go to the log, in
/// one bounded line each, and not to stderr. Each line begins with `place`, which must outlive the
/// connection.
void log_notices(pg_conn& of, const std::string& place);

} // namespace matchcloud::store
