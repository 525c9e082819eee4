#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <sys/eventfd.h>

#include <functional>
#include <future>
#include <thread>
#include <utility>

namespace matchcloud::app {

/// An operation that may fail and take long, run in a thread of its own. Destruction waits for its
/// end. Throws std::system_error if the thread cannot start.
class attempt_apart {
public:
  explicit attempt_apart(std::function<base::expected<void>()> what)
      : what_{std::move(what)}, result_{what_.get_future()}, thread_{[this] {
          what_();
          ::eventfd_write(done_.get(), 1);
        }} {}
  attempt_apart(const attempt_apart&) = delete;
  attempt_apart& operator=(const attempt_apart&) = delete;
  ~attempt_apart() { thread_.join(); }

  /// Readable once it is done.
  int done_fd() const noexcept { return done_.get(); }
  /// Waits for the end. Rethrows what the operation threw. Call at most once.
  base::expected<void> take() { return result_.get(); }

private:
  base::file_descriptor done_{::eventfd(0, EFD_CLOEXEC)};
  std::packaged_task<base::expected<void>()> what_;
  std::future<base::expected<void>> result_;
  std::thread thread_;
};

} // namespace matchcloud::app
