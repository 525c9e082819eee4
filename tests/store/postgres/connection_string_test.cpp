#include "store/postgres/postgres.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::store {
namespace {

postgres_settings settings_for(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return settings;
}

TEST_CASE("a password is found wherever a connection string may have it") {
  CHECK(has_password("postgresql://me:secret@db.example/matchcloud"));
  CHECK(has_password("postgresql://me@db.example/matchcloud?password=secret"));
  CHECK(has_password("postgresql://me@db.example/matchcloud?sslpassword=secret"));
  CHECK_FALSE(has_password("postgresql://me@db.example:5432/matchcloud?sslmode=verify-full"));
}

TEST_CASE("messages name host and database, and never user, password or options") {
  CHECK(server_name_of("postgresql://me:secret@db.example:5433/matchcloud?options=-cx%3Dy") ==
        "postgresql://db.example:5433/matchcloud");
  CHECK(server_name_of("postgresql:///matchcloud?host=/run/postgresql&user=me&password=secret") ==
        "postgresql:///run/postgresql/matchcloud");
  CHECK(server_name_of("postgresql://a.example,b.example/m") ==
        "postgresql://a.example,b.example/m");
  CHECK(server_name_of("postgresql:///?service=cloud") == "postgresql://?service=cloud");
}

TEST_CASE("what is no connection string is refused without repeating it") {
  const auto url = GENERATE("postgresql://me:sec%ret@db/x", "postgresql://[::1/secret",
                            "postgresql://db/x?secret=1");
  const auto checked = check_postgres_url(url);
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().code == base::errc::config_invalid);
  CHECK(checked.error().detail.find("sec") == std::string::npos);
}

TEST_CASE("a server beyond loopback has to be verified, unless that is allowed") {
  for (const auto* local : {"postgresql:///x", "postgresql://localhost/x", "postgresql://[::1]/x",
                            "postgresql://127.0.0.2:1/x", "postgresql:///x?host=/run"})
    CHECK(check_verification(settings_for(local)).has_value());
  for (const auto* remote :
       {"postgresql://192.0.2.1/x", "postgresql://192.0.2.1/x?sslmode=require",
        "postgresql://192.0.2.1/x?sslmode=verify-ca", "postgresql://127.0.0.1,192.0.2.1/x",
        "postgresql://localhost/x?hostaddr=192.0.2.1"}) {
    CAPTURE(remote);
    auto settings = settings_for(remote);
    const auto checked = check_verification(settings);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().detail.find("verify-full") != std::string::npos);
    settings.allow_unverified = true;
    CHECK(check_verification(settings).has_value());
  }
  CHECK(check_verification(settings_for("postgresql://192.0.2.1/x?sslmode=verify-full")));
}

} // namespace
} // namespace matchcloud::store
