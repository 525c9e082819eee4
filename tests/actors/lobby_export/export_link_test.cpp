#include "actors/lobby_export/export_job.hpp"

#include "actors/lobby_export/lobby_export_state.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

namespace matchcloud::actors {
namespace {

constexpr std::int64_t now_ts = 1'790'000'000'000;

using store::new_secret_version;
using store::replaced_secrets;
using store::secret_versions;

constexpr std::uint64_t expires_s = 1'790'000'600;
const auto linked_id = *model::parse_uuid("00000000-0000-4000-8000-000000000001");
const auto other_id = *model::parse_uuid("00000000-0000-4000-8000-000000000002");

secret_versions rotate(const secret_versions& before, replaced_secrets replaced) {
  auto after = store::rotated(before, now_ts, replaced);
  REQUIRE(after.has_value());
  return *std::move(after);
}

std::string signature_by(const secret_versions& keys) {
  const auto url = export_url("", linked_id, expires_s, keys);
  return url.substr(url.rfind('=') + 1);
}

bool is_accepted(const secret_versions& keys, const std::string& signature,
                 std::int64_t at_ts = now_ts) {
  return is_export_url_signed(linked_id, expires_s, signature, keys, at_ts);
}

TEST_CASE("a signature is of one URL, by one service") {
  const secret_versions keys{new_secret_version(now_ts)};
  const auto signature = signature_by(keys);
  CHECK(is_accepted(keys, signature));
  CHECK_FALSE(is_export_url_signed(other_id, expires_s, signature, keys, now_ts));
  CHECK_FALSE(is_export_url_signed(linked_id, expires_s + 1, signature, keys, now_ts));
  CHECK_FALSE(is_accepted({new_secret_version(now_ts)}, signature));
}

TEST_CASE("the newest key signs, and replaced keys are accepted for a time") {
  const secret_versions before{new_secret_version(now_ts)};
  const auto old = signature_by(before);
  const auto after = rotate(before, replaced_secrets::keep);
  const auto fresh = signature_by(after);
  CHECK(fresh != old);
  CHECK_FALSE(is_accepted(before, fresh));
  CHECK(is_accepted(after, fresh));
  CHECK(is_accepted(after, old));
  const auto lifetime_ms = std::chrono::milliseconds{store::signature_lifetime_limit}.count();
  CHECK(is_accepted(after, old, now_ts + lifetime_ms));
  const auto until_ts = after.back().accepted_until_ts;
  CHECK(is_accepted(after, old, until_ts - 1));
  CHECK_FALSE(is_accepted(after, old, until_ts));
  CHECK(is_accepted(after, fresh, until_ts + 1'000 * lifetime_ms));
}

TEST_CASE("what revoked keys signed is refused") {
  const secret_versions before{new_secret_version(now_ts)};
  const auto after = rotate(before, replaced_secrets::revoke);
  CHECK_FALSE(is_accepted(after, signature_by(before)));
  CHECK(is_accepted(after, signature_by(after)));
}

using namespace fixtures;

/// Receives reports as an export actor does.
struct export_reports_bench : deterministic_system {
  std::vector<std::uint64_t> begun;
  std::vector<std::uint64_t> ended;
  export_reports reports;

  caf::actor listener() {
    return keep(system.spawn([this]() -> caf::behavior {
      return {[this](const export_begun& news) { begun.push_back(news.job); },
              [this](const export_ended& news) { ended.push_back(news.job); }};
    }));
  }
  void end(std::uint64_t job) {
    export_ended result;
    result.job = job;
    reports.note_end(std::move(result));
  }
};

TEST_CASE("a successor hears unhandled reports") {
  export_reports_bench on;
  on.reports.note_begin(1, {{1, 1}, 7});
  on.reports.note_progress(1, 10, 100);
  on.end(2);
  on.reports.subscribe(on.listener());
  on.run();
  CHECK(on.begun == std::vector<std::uint64_t>{1});
  CHECK(on.ended == std::vector<std::uint64_t>{2});
  on.end(1);
  on.run();
  CHECK(on.ended == std::vector<std::uint64_t>{2, 1});
  CHECK(on.reports.of(1).rows == 10);
  CHECK(on.reports.of(1).bytes == 100);
  on.reports.forget(1);
  CHECK(on.reports.of(1).end == nullptr);
  on.reports.subscribe(on.listener());
  on.run();
  CHECK(on.begun.size() == 1);
  CHECK(on.ended == std::vector<std::uint64_t>{2, 1, 2});
  on.reports.subscribe(nullptr);
  on.end(3);
  on.run();
  CHECK(on.ended.size() == 3);
}

} // namespace
} // namespace matchcloud::actors
