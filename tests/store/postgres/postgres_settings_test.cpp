// Connection strings, the master key, and what a server says.
#include "store/postgres/postgres.hpp"

#include "store/postgres/postgres_secrets.hpp"
#include "store/postgres/server_messages.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

#include <sys/stat.h>

#include <fstream>
#include <string>

namespace matchcloud::store {
namespace {

using base::errc;

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

TEST_CASE("a malformed connection string is refused without repeating it") {
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

constexpr base::secret_bytes key{1, 2, 3};

struct key_file {
  fixtures::temporary_directory directory;
  std::string path = directory.path("master-key");

  explicit key_file(const std::string& text, mode_t mode = 0600) {
    std::ofstream{path} << text;
    REQUIRE(::chmod(path.c_str(), mode) == 0);
  }
};

TEST_CASE("a master key is 64 hexadecimal digits, in either case, with white space and comments") {
  const key_file plain{"# of the store\n  " + std::string(32, 'a') + "\n" + std::string(32, 'A') +
                       " # the end\n"};
  const auto read = had(read_master_key(plain.path));
  for (const auto byte : read)
    CHECK(byte == 0xaa);
}

TEST_CASE("a malformed master key is refused, and nothing of it is repeated") {
  const auto text =
      GENERATE(std::string{}, std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g'),
               "# " + std::string(64, 'a'), std::string(5'000, 'a'));
  const key_file wrong{text};
  const auto read = read_master_key(wrong.path);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == base::errc::config_invalid);
  CHECK(read.error().detail.find("64 hexadecimal digits") != std::string::npos);
  CHECK(read.error().detail.find("aaaa") == std::string::npos);
}

TEST_CASE("a master key that others may read is refused, and so is what is no file") {
  const key_file open{std::string(64, 'a'), 0644};
  CHECK(read_master_key(open.path).error().detail.find("chmod o-rwx") != std::string::npos);
  for (const mode_t mode : {0440U, 0640U}) {
    const key_file of_a_group{std::string(64, 'a'), mode};
    CHECK(read_master_key(of_a_group.path).has_value());
  }
  CHECK_FALSE(read_master_key(open.directory.path()).has_value());
  CHECK_FALSE(read_master_key(open.directory.path("missing")).has_value());
  CHECK(read_master_key("").error().detail.find("master-key-file") != std::string::npos);
}

TEST_CASE("what is sealed comes back by its key and name, and shows nothing of its text") {
  const auto text = GENERATE(std::string{}, std::string{"secret"}, std::string(10'000, 's'));
  const auto sealed = seal(key, "signing-keys", text);
  CHECK(had(unseal(key, "signing-keys", sealed)) == text);
  CHECK(sealed.find("secret") == std::string::npos);
  CHECK(seal(key, "signing-keys", text) != sealed); // another nonce
}

TEST_CASE("nothing is unsealed that was changed, cut, or sealed otherwise") {
  const auto sealed = seal(key, "signing-keys", "secret");
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    auto changed = sealed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(unseal(key, "signing-keys", changed).has_value());
    CHECK_FALSE(unseal(key, "signing-keys", sealed.substr(0, at)).has_value());
  }
  CHECK_FALSE(unseal(key, "ticket-roots", sealed).has_value());
  auto other = key;
  other[31] = 1;
  const auto wrong = unseal(other, "signing-keys", sealed);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().detail.find("another master key") != std::string::npos);
}

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
