#include "store/postgres/server_messages.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::store {
namespace {

using base::errc;

TEST_CASE("a SQLSTATE says whether the server is away, full, or refuses what it is sent") {
  struct row {
    std::string state;
    errc code;
    bool may_pass;
    after_failure then;
  };
  const auto reconnect = after_failure::reconnect;
  const auto keep = after_failure::keep;
  const auto repeat = after_failure::repeat;
  for (const auto& [state, code, may_pass, then] : {
           row{"08000", errc::store_failed, true, reconnect},
           row{"08006", errc::store_failed, true, reconnect},
           row{"57P01", errc::store_failed, true, reconnect}, // pg_terminate_backend, a stop
           row{"57P02", errc::store_failed, true, reconnect},
           row{"57P03", errc::store_failed, true, reconnect}, // it is starting
           row{"57P04", errc::store_failed, false, reconnect},
           row{"57P05", errc::store_failed, true, reconnect},
           row{"57014", errc::store_failed, true, keep},
           row{"53100", errc::store_full, true, reconnect},
           row{"53200", errc::store_failed, true, reconnect},
           row{"53300", errc::store_failed, true, reconnect},
           row{"53400", errc::store_failed, true, reconnect},
           row{"40001", errc::store_failed, true, repeat},
           row{"40P01", errc::store_failed, true, repeat},
           row{"40003", errc::store_failed, true, reconnect},
           row{"55P03", errc::store_failed, true, reconnect},
           row{"25006", errc::store_failed, true, reconnect}, // a standby after a failover
           row{"25P03", errc::store_failed, false, reconnect},
           row{"22021", errc::internal, false, keep}, // a character that is not in the encoding
           row{"22P05", errc::internal, false, keep},
           row{"22003", errc::internal, false, keep},
           row{"23505", errc::internal, false, keep},
           row{"23514", errc::internal, false, keep},
           row{"42P01", errc::store_failed, false, reconnect},
           row{"42703", errc::store_failed, false, reconnect},
           row{"3F000", errc::store_failed, false, reconnect},
           row{"42601", errc::internal, false, reconnect},
           row{"54000", errc::internal, false, keep},
           row{"P0001", errc::internal, false, keep},
           row{"42501", errc::store_failed, false, reconnect},
           row{"42P05", errc::store_failed, false, reconnect}, // a pooler
           row{"26000", errc::store_failed, false, reconnect},
           row{"0A000", errc::store_failed, false, reconnect}, // a plan of a table that has changed
           row{"28P01", errc::store_failed, false, reconnect},
           row{"28000", errc::store_failed, false, reconnect},
           row{"3D000", errc::store_failed, false, reconnect},
           row{"XX001", errc::store_failed, false, reconnect},
           row{"", errc::store_failed, false, reconnect},
       }) {
    CAPTURE(state);
    const auto meaning = meaning_of_sqlstate(state);
    CHECK(meaning.code == code);
    CHECK(meaning.may_pass == may_pass);
    CHECK(meaning.then == then);
  }
  for (const std::string state : {"53300", "42P05", "26000", "25006", "42501", "53100", "22021"})
    CHECK_FALSE(meaning_of_sqlstate(state).advice.empty());
}

TEST_CASE("a refused connection gives its SQLSTATE, in any language") {
  const auto one =
      read_refusal("connection to server on socket \"/s/.s.PGSQL.5432\" failed: FATAL:  57P03: "
                   "the database system is starting up\nLOCATION:  ProcessStartupPacket, x.c:1\n");
  CHECK(one.state == "57P03");
  CHECK(one.message == "connection to server on socket \"/s/.s.PGSQL.5432\" failed: FATAL:  the "
                       "database system is starting up");
  const auto two = read_refusal(
      "connection to server at \"a\" (::1), port 1 failed: Connection refused\n"
      "\tIs the server running on that host and accepting TCP/IP connections?\n"
      "connection to server at \"b\" (192.0.2.1), port 1 failed: "
      "\xe8\x87\xb4\xe5\x91\xbd\xe9\x94\x99\xe8\xaf\xaf:  28P01: x: y\nDETAIL:  more\n");
  CHECK(two.state == "28P01");
  CHECK(two.message.find("Connection refused\n") != std::string::npos);
  CHECK(two.message.find("28P01") == std::string::npos);
  CHECK(two.message.find(":  x: y\nDETAIL:  more") != std::string::npos);
  CHECK(read_refusal("timeout expired\n").state.empty());
  CHECK(read_refusal("").message.empty());
}

} // namespace
} // namespace matchcloud::store
