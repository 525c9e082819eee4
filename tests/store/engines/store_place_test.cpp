#include "store/engines/store_place.hpp"

#include "base/failure.hpp"
#include "store/sql/schema_versions.hpp"
#include "tests/catch.hpp"

#include <string>

namespace matchcloud::store {
namespace {

bool may_pass(const std::string& detail) {
  return is_out_of_reach({base::errc::store_failed, detail});
}

TEST_CASE("a store that cannot be reached, or is busy, may come back by itself") {
  const std::string at =
      "postgresql://db/x: cannot connect: connection to server at \"db\" failed: ";
  for (const std::string why :
       {"Connection refused Is the server running on that host?", "timeout expired",
        "FATAL:  the database system is starting up [SQLSTATE 57P03]",
        "FATAL:  das Datenbanksystem wird heruntergefahren [SQLSTATE 57P03]",
        "FATAL:  sorry, too many clients already [SQLSTATE 53300]; raise max_connections"})
    CHECK(may_pass(at + why));
  CHECK(may_pass("postgresql://db/x: cannot connect: could not translate host name \"db\" to "
                 "address: Name or service not known"));
  CHECK(may_pass("postgresql://db/x: cannot configure the connection: terminating connection due "
                 "to administrator command [SQLSTATE 57P01]"));
  CHECK(may_pass("s3://b: cannot look: connection refused; check the endpoint, and that the "
                 "service is running"));
  CHECK(may_pass("s3://b: cannot look: HTTP status 503, SlowDown"));
}

TEST_CASE("what somebody has to change is not waited for") {
  const std::string at =
      "postgresql://db/x: cannot connect: connection to server at \"db\" failed: ";
  for (const std::string why :
       {"FATAL:  password authentication failed for user \"x\" [SQLSTATE 28P01]",
        "FATAL:  database \"x\" does not exist [SQLSTATE 3D000]",
        "FATAL:  no pg_hba.conf entry for host [SQLSTATE 28000]",
        "SSL error: certificate verify failed"})
    CHECK_FALSE(may_pass(at + why));
  CHECK_FALSE(may_pass("postgresql://db/x: cannot create the schema: permission denied for "
                       "database x [SQLSTATE 42501]; grant the user what it needs"));
  CHECK_FALSE(may_pass("s3://b: cannot look: HTTP status 403, AccessDenied"));
  const auto old = base::attempt([] { schema_versions{{}}.check(9, 0, "/data"); });
  REQUIRE_FALSE(old);
  CHECK_FALSE(is_out_of_reach(old.error()));
  CHECK_FALSE(may_pass("s3://b: cannot look: HTTP status 404, NoSuchBucket; create the bucket"));
  CHECK_FALSE(may_pass("s3://b: cannot look: HTTP status 301, PermanentRedirect"));
  CHECK_FALSE(may_pass("the secret signing-keys in the database was encrypted with another master "
                       "key, or is damaged"));
  CHECK_FALSE(is_out_of_reach({base::errc::store_newer, "for newer programs"}));
  CHECK_FALSE(is_out_of_reach({base::errc::config_invalid, "no URL"}));
  CHECK_FALSE(is_out_of_reach({base::errc::import_invalid, "half a copy"}));
}

} // namespace
} // namespace matchcloud::store
