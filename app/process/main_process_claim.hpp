#pragma once

#include "app/process/main_watch.hpp"

#include <unistd.h>

#include <optional>

namespace matchcloud::app {

/// Tells the service manager that this process replaces `predecessor` as the main one, and revokes
/// that on destruction unless `keep` was called. Does nothing without a predecessor. One thread.
class main_process_claim {
public:
  main_process_claim(main_watch& watch, std::optional<pid_t> predecessor)
      : watch_{&watch}, predecessor_{predecessor} {
    if (predecessor_) watch_->tell_main_process(::getpid());
  }
  main_process_claim(const main_process_claim&) = delete;
  main_process_claim& operator=(const main_process_claim&) = delete;
  ~main_process_claim() {
    if (predecessor_) watch_->tell_main_process(*predecessor_);
  }

  void keep() noexcept { predecessor_.reset(); }

private:
  main_watch* watch_;
  std::optional<pid_t> predecessor_;
};

} // namespace matchcloud::app
