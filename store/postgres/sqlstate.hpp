#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// What becomes of a connection after a failure that its server has reported.
enum class after_failure : std::uint8_t {
  /// It is closed, and so are the others that nobody uses: they may have the same trouble.
  reconnect,
  /// It is fine: the failure is about the statement alone.
  keep,
  /// The same, and the transaction is to be repeated at once.
  repeat,
};

/// What a failure that a PostgreSQL server has reported means.
struct sqlstate_meaning {
  /// `store_failed` where the server cannot be used now, `store_full`, or `internal` where it
  /// refuses a statement for what is in it, which it would do again.
  base::errc code = base::errc::store_failed;
  /// Whether it may pass by itself, without that somebody changes something here.
  bool may_pass = false;
  after_failure then = after_failure::reconnect;
  /// What the operator can do; empty where PostgreSQL's own message is enough.
  std::string_view advice{};
};

/// The meaning of a SQLSTATE (PostgreSQL's documentation, appendix A); of an unknown or empty one,
/// that of `sqlstate_meaning{}`. Any thread.
sqlstate_meaning meaning_of_sqlstate(std::string_view state) noexcept;

/// `[SQLSTATE 53100]`, as errors have it in their details.
std::string shown_sqlstate(std::string_view state);
/// The SQLSTATE that the detail of an error has; empty where it has none.
std::string_view sqlstate_in(std::string_view detail) noexcept;

/// libpq's message of a connection that did not come about, and the SQLSTATE that the server gave.
struct refused_connection {
  std::string message;
  /// The last one, of several hosts; empty where no server said anything.
  std::string state;
};
/// Takes such a message apart which libpq has made with PQERRORS_VERBOSE: the only way in which it
/// has a SQLSTATE, by which alone a refusal can be told in any language.
refused_connection read_refusal(std::string_view message);

} // namespace matchcloud::store
