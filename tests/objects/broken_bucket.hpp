#pragma once

#include "tests/objects/bucket_world.hpp"
#include "tests/store/s3/fault_proxy.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace matchcloud::e2e {

/// A plan of a proxy that a test changes while it is carried out. Any thread.
class fault_switch {
public:
  void set(store::fault_proxy::plan how) {
    const std::lock_guard lock{mutex_};
    how_ = std::move(how);
  }
  void end() { set({}); }
  store::proxy_action operator()(const store::seen_request& request) const {
    const std::lock_guard lock{mutex_};
    return how_ ? how_(request) : store::proxy_action{};
  }

private:
  mutable std::mutex mutex_;
  store::fault_proxy::plan how_;
};

/// A server whose bucket is behind a proxy that breaks requests.
class broken_bucket {
public:
  /// On a world of its own.
  explicit broken_bucket(const arguments& flags)
      : own_{std::make_unique<world>(told_of(bucket_))}, in_{own_.get()}, of{with(flags), *in_} {}
  /// On a world that others use, too.
  broken_bucket(const arguments& flags, const world& in)
      : in_{&in}, of{with(flags), in, told_of(bucket_)} {}

  const s3_bucket& bucket() const noexcept { return bucket_; }
  const world& in() const noexcept { return *in_; }

private:
  arguments with(arguments flags) const {
    flags.insert(flags.end(), {"--objects-endpoint", proxy.url()});
    return flags;
  }

  s3_bucket bucket_;
  std::unique_ptr<world> own_;
  const world* in_;

public:
  fault_switch fault;
  store::fault_proxy proxy{bucket_.settings.endpoint, std::ref(fault)};
  server of;
};

} // namespace matchcloud::e2e
