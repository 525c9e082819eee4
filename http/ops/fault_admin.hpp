#pragma once

#include "base/expected.hpp"
#include "base/fault_point.hpp"
#include "base/faults.hpp"

#include <httplib.h>

#include <cstdint>
#include <mutex>
#include <string>

namespace matchcloud::http {

/// `GET`, `PUT` and `DELETE` of `/faults` and `/faults/{point}` on the ops plane, for services that
/// were started with fault injection enabled. Any thread.
class fault_admin {
public:
  /// `seed` is only shown, in `GET /faults`.
  explicit fault_admin(std::uint64_t seed) : seed_{seed} {}

  /// Call before the server starts; this object must outlive the server.
  void add_routes(httplib::Server& to);

  /// Removes all faults and refuses to inject more: a shutdown must not wait for stalled
  /// operations.
  void end();

private:
  void answer(const httplib::Request& request, httplib::Response& into,
              const httplib::ContentReader* body);
  base::expected<void> answer_all(const std::string& method, httplib::Response& into) const;
  base::expected<void> answer_one(base::fault_point at, const std::string& method,
                                  const httplib::ContentReader* body, httplib::Response& into);
  base::expected<void> inject(base::fault_point at, const base::fault_rule& rule);

  std::uint64_t seed_;
  /// Held while a fault is injected.
  std::mutex mutex_;
  bool ended_ = false;
};

} // namespace matchcloud::http
