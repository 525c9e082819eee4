// What credentials are, where a process finds them, and when they are renewed.
#include "store/s3/s3_credentials.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/s3/s3_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::string why_not(std::string_view text, std::string_view profile = "default") {
  const auto read = base::attempt([&] { return read_credentials(text, profile); });
  REQUIRE(!read.has_value());
  CHECK(read.error().code == base::errc::config_invalid);
  return read.error().detail;
}

TEST_CASE("the credentials of a profile are read, whatever else the file has") {
  constexpr std::string_view text = "# written by hand\n"
                                    "\n"
                                    "[other]\n"
                                    "aws_access_key_id = THEIRS\n"
                                    "[ default ]\r\n"
                                    "  aws_access_key_id=MINE\r\n"
                                    "aws_secret_access_key = a=b/c+d \n"
                                    "region = eu-central-1\n"
                                    "; the end";
  const auto mine = read_credentials(text, "default");
  CHECK(mine->access_key_id == "MINE");
  CHECK(mine->secret_access_key.revealed() == "a=b/c+d");
  CHECK(mine->session_token.revealed().empty());
  CHECK(why_not(text, "other") == "profile 'other': the secret access key is missing");
  CHECK(why_not(text, "third") == "it has no profile 'third'");
}

TEST_CASE("a broken line is named by its number and not shown") {
  CHECK(why_not("aws_secret_access_key = hush") == "it has no profile 'default'");
  CHECK(why_not("[default]\nhush") == "line 2 is neither [PROFILE] nor NAME = VALUE");
  CHECK(why_not("[default]\n[hush") == "line 2 is neither [PROFILE] nor NAME = VALUE");
}

TEST_CASE("credentials that cannot be sent in a header are refused and not shown") {
  const auto why = [](const char* id, const char* secret, const char* token) {
    const auto made = base::attempt([&] { return make_credentials(id, secret, token); });
    REQUIRE(!made.has_value());
    return made.error().detail;
  };
  CHECK_FALSE(why("", "b", "").empty());
  CHECK_FALSE(why("a", "", "").empty());
  for (const auto* const bad : {"hu/sh", "hu,sh", "hu sh", "hu\nsh", "hu\x7fsh", "hu\xc3\xa4sh"})
    CHECK(why(bad, "b", "").find("hu") == std::string::npos);
  for (const auto* const bad : {"hu sh", "hu\nsh", "hu\x80sh"}) {
    CHECK(why("a", bad, "").find("hu") == std::string::npos);
    CHECK(why("a", "b", bad).find("hu") == std::string::npos);
  }
}

TEST_CASE("any text is read or refused, and what is read can be sent") {
  CHECK(rc::check([](const std::string& noise) {
    const auto read =
        base::attempt([&] { return read_credentials("[default]\n" + noise, "default"); });
    if (read) RC_ASSERT(!(*read)->access_key_id.empty());
  }));
}

// -- files

std::string file_text(const std::string& id) {
  return "[default]\naws_access_key_id=" + id + "\naws_secret_access_key=secret\n";
}

/// A source that reads a file.
struct file_source {
  fixtures::temporary_directory folder;
  std::string path = folder.file("credentials", file_text("FIRST"));
  moved_clock time;
  std::unique_ptr<s3_credential_source> source =
      s3_credential_source::open(environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}}), time)
          .value();

  /// Replaces the file, as who rotates credentials does.
  void replace(const std::string& text) const {
    std::filesystem::rename(folder.file("new", text), path);
  }
  std::string id() const { return source->current()->access_key_id; }
};

TEST_CASE("the file is that of the home folder, and the profile the one that is named") {
  const fixtures::temporary_directory home;
  std::filesystem::create_directory(home.path(".aws"));
  home.file(".aws/credentials", "[default]\n[game]\naws_access_key_id=A\naws_secret_access_key=B");
  const moved_clock time;
  const auto source = s3_credential_source::open(
      environment_of({{"HOME", home.path()}, {"AWS_PROFILE", "game"}}), time);
  REQUIRE(source.has_value());
  CHECK((*source)->current()->access_key_id == "A");
}

TEST_CASE("without credentials the error says which variables to set") {
  const moved_clock time;
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
  with.time.move(loan_ask_interval);
  CHECK(with.id() == "SECOND");
  CHECK_FALSE(with.source->renew());
  with.replace(file_text("THIRD"));
  CHECK(with.source->renew());
  CHECK(with.id() == "THIRD");
}

TEST_CASE("the credentials read last stay in use while the file is broken or gone") {
  file_source with;
  with.replace("half a li");
  CHECK_FALSE(with.source->renew());
  CHECK(with.id() == "FIRST");
  std::filesystem::remove(with.path);
  with.time.move(loan_ask_interval);
  CHECK(with.id() == "FIRST");
  with.replace(file_text("SECOND"));
  CHECK(with.source->renew());
}

TEST_CASE("a file that is too long is refused") {
  const fixtures::temporary_directory folder;
  const moved_clock time;
  const auto path = folder.file("long", std::string(credentials_limit_bytes + 1, '\n'));
  const auto source =
      s3_credential_source::open(environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}}), time);
  REQUIRE(!source.has_value());
  CHECK(source.error().detail.find("more than 262144 bytes") != std::string::npos);
}

// -- loans

/// Lends for an hour, credentials that are numbered from 1; or fails.
struct lent_for_an_hour {
  lend_credentials lender() {
    return [this]() -> s3_loan {
      ++asked;
      if (waits_for) waits_for->wait();
      if (is_throwing) throw std::runtime_error{"no memory"};
      if (is_gone) throw base::failure{base::errc::config_invalid, "nobody there"};
      return {make_credentials(std::to_string(asked), "secret", "token"),
              time.unix_ms() + 3'600'000};
    };
  }
  std::string id() const { return lent->current()->access_key_id; }

  moved_clock time;
  std::atomic<int> asked{0};
  std::atomic<bool> is_gone{false};
  std::atomic<bool> is_throwing{false};
  std::optional<std::shared_future<void>> waits_for;
  std::unique_ptr<s3_credential_source> lent =
      std::make_unique<s3_credential_source>(lender(), time);
};

TEST_CASE("lent credentials are renewed five minutes before they expire, and not sooner") {
  lent_for_an_hour on;
  on.time.move(minutes{55} - seconds{1});
  CHECK(on.id() == "1");
  CHECK(on.asked == 1);
  on.time.move(seconds{1});
  CHECK(on.id() == "2");
  on.time.move(minutes{54});
  CHECK(on.id() == "2");
  on.time.move(minutes{1});
  CHECK(on.id() == "3");
}

TEST_CASE("while they cannot be renewed those at hand stay in use, and nobody is asked too often") {
  lent_for_an_hour on;
  on.is_gone = true;
  on.time.move(minutes{55});
  for (int i = 0; i < 3; ++i)
    CHECK(on.id() == "1");
  CHECK(on.asked == 2);
  on.time.move(loan_ask_interval);
  CHECK(on.id() == "1");
  CHECK(on.asked == 3);
  // They have expired: the service of objects is to say so.
  on.time.move(minutes{10});
  CHECK(on.id() == "1");
  on.is_throwing = true;
  on.time.move(loan_ask_interval);
  CHECK(on.id() == "1");
  CHECK_FALSE(on.lent->renew());
  on.is_throwing = on.is_gone = false;
  on.time.move(loan_ask_interval);
  CHECK(on.id() == "6");
}

TEST_CASE("the log is warned once a minute that they cannot be renewed, and until when they hold") {
  constexpr std::size_t most = 10;
  const auto seen = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(most);
  const auto usual = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("seen", seen));
  lent_for_an_hour on;
  on.is_gone = true;
  on.time.move(minutes{55});
  // 0, 5, .. 60 s after the first: twelve within the minute, and the one that ends it.
  for (int i = 0; i <= 12; ++i) {
    (void)on.lent->current();
    on.time.move(loan_ask_interval);
  }
  spdlog::set_default_logger(usual);
  CHECK(on.asked == 14);
  const auto lines = seen->last_formatted(most);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("nobody there; the last credentials stay in use until they expire at "
                      "2013-05-24T01:00:00.000Z") != std::string::npos);
}

TEST_CASE("credentials that are refused are renewed at once, but not twice") {
  lent_for_an_hour on;
  CHECK_FALSE(on.lent->renew());
  on.time.move(loan_ask_interval);
  CHECK(on.lent->renew());
  CHECK(on.id() == "2");
  CHECK_FALSE(on.lent->renew());
  CHECK(on.asked == 2);
}

TEST_CASE("one thread renews, and others wait for it only if theirs do not hold") {
  lent_for_an_hour on;
  std::promise<void> answer;
  on.waits_for = answer.get_future().share();
  on.time.move(minutes{55});
  auto renewing = std::async(std::launch::async, [&] { return on.id(); });
  REQUIRE(e2e::eventually([&] { return on.asked == 2; }));
  CHECK(on.id() == "1");
  on.time.move(minutes{5});
  std::vector<std::future<std::string>> waiting;
  for (int i = 0; i < 4; ++i)
    waiting.push_back(std::async(std::launch::async, [&] { return on.id(); }));
  auto refused = std::async(std::launch::async, [&] { return on.lent->renew(); });
  CHECK(waiting.front().wait_for(std::chrono::milliseconds{50}) == std::future_status::timeout);
  answer.set_value();
  CHECK(renewing.get() == "2");
  for (auto& each : waiting)
    CHECK(each.get() == "2");
  (void)refused.get();
  CHECK(on.asked == 2);
}

} // namespace
} // namespace matchcloud::store
