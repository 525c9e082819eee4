#include "app/node/housekeeping.hpp"

#include "app/node/thread_counts.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "store/engines/store_place.hpp"

#include <chrono>
#include <utility>

namespace matchcloud::app {

namespace {

/// Normal priority: if this thread waited for a processor while it writes, all writers would wait.
/// It is idle most of the time anyway.
constexpr int housekeeping_nice = 0;
/// How long a batch waits for other writers of the embedded store.
constexpr std::chrono::seconds patience{10};

/// Logs a failure of housekeeping only once, however often it is retried.
class failure_log {
public:
  void note(const base::expected<void>& done) {
    if (!done && !is_failing_)
      base::log(base::log_event::housekeeping_failed, "housekeeping: {}",
                base::to_string(done.error()));
    is_failing_ = !done;
  }

private:
  bool is_failing_ = false;
};

} // namespace

housekeeping::housekeeping(std::shared_ptr<store::store_fence> fence,
                           store::housekeeper_settings settings)
    : fence_{std::move(fence)},
      keeper_{std::make_shared<store::housekeeper>(std::move(settings))},
      thread_{std::make_unique<base::thread_pool>(thread_counts::housekeeping, housekeeping_nice)} {
}

std::unique_ptr<housekeeping> housekeeping::open(const serve_config& config,
                                                 const std::shared_ptr<store::database>& of_server,
                                                 std::shared_ptr<store::store_fence> fence,
                                                 store::housekeeper_settings settings) {
  settings.in = of_server;
  if (config.store.url.empty()) {
    settings.in = base::value_of(
        store::open_store(config.store, {.patience = patience, .sessions = {1, 1, {}}}));
    settings.in->stand_behind(fence);
  }
  settings.kept = config.retention;
  return std::unique_ptr<housekeeping>{new housekeeping{std::move(fence), std::move(settings)}};
}

actors::repeated_task_settings housekeeping::task() {
  return {[keeper = keeper_, fence = fence_, log = std::make_shared<failure_log>()] {
            if (!fence->why()) log->note(keeper->run());
          },
          thread_.get()};
}

void housekeeping::end() {
  keeper_->stop();
  thread_->end();
}

} // namespace matchcloud::app
