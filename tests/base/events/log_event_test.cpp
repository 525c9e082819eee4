#include "base/events/log.hpp"
#include "base/events/log_source.hpp"
#include "tests/catch.hpp"

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

namespace matchcloud::base {
namespace {

/// While it lives, what is logged goes here, and the levels are those of the test.
class kept_lines {
public:
  kept_lines() {
    auto log = std::make_shared<spdlog::logger>("", seen_);
    log->set_level(spdlog::level::trace);
    log->set_pattern("%s %l %v");
    spdlog::set_default_logger(std::move(log));
  }
  kept_lines(const kept_lines&) = delete;
  kept_lines& operator=(const kept_lines&) = delete;
  ~kept_lines() {
    spdlog::set_default_logger(usual_);
    configure_log_levels(log_levels_of(log_level::info));
  }
  std::vector<std::string> lines() const { return seen_->last_formatted(); }

private:
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> seen_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(16);
  std::shared_ptr<spdlog::logger> usual_ = spdlog::default_logger();
};

TEST_CASE("events have names of their own, of two words with a dot between") {
  std::set<std::string_view> names;
  for (const auto& each : log_events) {
    INFO(each.name);
    CHECK(names.insert(each.name).second);
    CHECK(std::ranges::count(each.name, '.') == 1);
    CHECK(std::ranges::all_of(
        each.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '.'; }));
    CHECK(each.what.ends_with('.'));
    CHECK(&row_of(each.id) == &each);
  }
}

TEST_CASE("a line carries its event, its level and its words") {
  const kept_lines kept;
  log(log_event::store_lost, "the database {}", 7);
  log_at(log_level::warning, log_event::store_notice, "a notice");
  CHECK(kept.lines() == std::vector<std::string>{"store.lost error the database 7\n",
                                                 "store.notice warning a notice\n"});
}

TEST_CASE("each subject has a level of its own, which a reload sets again") {
  const kept_lines kept;
  auto levels = log_levels_of(log_level::warning);
  levels[log_subject::store] = log_level::debug;
  configure_log_levels(levels);
  CHECK(is_logged(log_event::store_notice, log_level::debug));
  CHECK_FALSE(is_logged(log_event::catalog_loaded, log_level::info));
  CHECK(is_logged(log_event::catalog_failed, log_level::error));
  log(log_event::catalog_loaded, "not logged");
  CHECK(kept.lines().empty());
  change_log_levels(log_levels_of(log_level::error));
  CHECK(configured_log_levels() == levels);
  CHECK_FALSE(is_logged(log_event::store_notice, log_level::warning));
  configure_log_levels(levels);
  CHECK(log_levels_in_force() == levels);
}

TEST_CASE("names of levels and subjects are found, and no others") {
  CHECK(find_log_level("warning") == log_level::warning);
  CHECK_FALSE(find_log_level("warn"));
  CHECK(find_log_subject("geoip") == log_subject::geoip);
  CHECK_FALSE(find_log_subject(""));
}

} // namespace
} // namespace matchcloud::base
