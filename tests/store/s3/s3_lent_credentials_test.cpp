#include "base/failure.hpp"
#include "store/s3/s3_credentials.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/store/s3/moved_clock.hpp"
#include "tests/store/store_fixture.hpp"

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace matchcloud::store {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

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

TEST_CASE("opening fails if the first credentials cannot be had") {
  const moved_clock time;
  const auto nobody = []() -> s3_loan {
    throw base::failure{base::errc::config_invalid, "nobody there"};
  };
  CHECK_THROWS_AS((s3_credential_source{nobody, time}), base::failure);
}

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
