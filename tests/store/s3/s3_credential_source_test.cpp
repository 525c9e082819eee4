#include "store/s3/s3_credentials.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/s3/environment_of.hpp"

#include <filesystem>
#include <map>

namespace matchcloud::store {
namespace {

class set_clock final : public base::clock {
public:
  base::steady_time now() const noexcept override { return at; }
  std::int64_t unix_ms() const noexcept override { return 0; }
  base::steady_time at{};
};

std::string file_text(const std::string& id) {
  return "[default]\naws_access_key_id=" + id + "\naws_secret_access_key=secret\n";
}

/// A source that reads a file.
struct file_source {
  fixtures::temporary_directory folder;
  std::string path = folder.file("credentials", file_text("FIRST"));
  set_clock time;
  std::unique_ptr<s3_credential_source> source =
      s3_credential_source::open(environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}}), time)
          .value();

  /// Replaces the file, as who rotates credentials does.
  void replace(const std::string& text) const {
    std::filesystem::rename(folder.file("new", text), path);
  }
  std::string id() const { return source->current()->access_key_id; }
};

TEST_CASE("credentials of the environment come before those of a file") {
  const set_clock time;
  const auto source =
      s3_credential_source::open(environment_of({{"AWS_ACCESS_KEY_ID", "A"},
                                                 {"AWS_SECRET_ACCESS_KEY", "B"},
                                                 {"AWS_SESSION_TOKEN", "C"},
                                                 {"AWS_SHARED_CREDENTIALS_FILE", "/none"}}),
                                 time);
  REQUIRE(source.has_value());
  const auto found = (*source)->current();
  CHECK(found->access_key_id == "A");
  CHECK(found->secret_access_key.revealed() == "B");
  CHECK(found->session_token.revealed() == "C");
  CHECK_FALSE((*source)->renew());
}

TEST_CASE("the file is that of the home folder, and the profile the one that is named") {
  const fixtures::temporary_directory home;
  std::filesystem::create_directory(home.path(".aws"));
  home.file(".aws/credentials", "[default]\n[game]\naws_access_key_id=A\naws_secret_access_key=B");
  const set_clock time;
  const auto source = s3_credential_source::open(
      environment_of({{"HOME", home.path()}, {"AWS_PROFILE", "game"}}), time);
  REQUIRE(source.has_value());
  CHECK((*source)->current()->access_key_id == "A");
}

TEST_CASE("without credentials the error says which variables to set") {
  const set_clock time;
  for (const auto& variables : {std::map<std::string, std::string>{}, {{"HOME", "/nonexistent"}}}) {
    const auto source = s3_credential_source::open(environment_of(variables), time);
    REQUIRE(!source.has_value());
    CHECK(source.error().code == base::errc::config_invalid);
    CHECK(source.error().detail.find("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") !=
          std::string::npos);
  }
  const auto half = s3_credential_source::open(environment_of({{"AWS_ACCESS_KEY_ID", "A"}}), time);
  CHECK(half.error().detail.find("the secret access key is missing") != std::string::npos);
}

TEST_CASE("a replaced file is read again, after a while or when the service asks for it") {
  file_source with;
  CHECK(with.id() == "FIRST");
  with.replace(file_text("SECOND"));
  CHECK(with.id() == "FIRST");
  with.time.at += loan_ask_interval;
  CHECK(with.id() == "SECOND");
  CHECK_FALSE(with.source->renew());
  with.replace(file_text("THIRD"));
  CHECK(with.source->renew());
  CHECK(with.id() == "THIRD");
}

TEST_CASE("what was read last stays in use while the file is broken or gone") {
  file_source with;
  with.replace("half a li");
  CHECK_FALSE(with.source->renew());
  CHECK(with.id() == "FIRST");
  std::filesystem::remove(with.path);
  with.time.at += loan_ask_interval;
  CHECK(with.id() == "FIRST");
  with.replace(file_text("SECOND"));
  CHECK(with.source->renew());
}

TEST_CASE("a file that is too long is refused") {
  const fixtures::temporary_directory folder;
  const set_clock time;
  const auto path = folder.file("long", std::string(credentials_limit_bytes + 1, '\n'));
  const auto source =
      s3_credential_source::open(environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}}), time);
  REQUIRE(!source.has_value());
  CHECK(source.error().detail.find("more than 262144 bytes") != std::string::npos);
}

} // namespace
} // namespace matchcloud::store
