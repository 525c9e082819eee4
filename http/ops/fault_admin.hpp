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
/// were started to be broken. Any thread.
class fault_admin {
public:
  /// `seed` is shown.
  explicit fault_admin(std::uint64_t seed) : seed_{seed} {}

  /// Before the server starts; this must outlive it.
  void add_routes(httplib::Server& to);

  /// Takes all faults away, and injects no more: whoever ends the service must not wait for what is
  /// stalled.
  void end();

private:
  void answer(const httplib::Request& request, httplib::Response& into,
              const httplib::ContentReader* body);
  base::expected<void> answer_all(const std::string& method, httplib::Response& into) const;
  base::expected<void> answer_one(base::fault_point at, const std::string& method,
                                  const httplib::ContentReader* body, httplib::Response& into);
  base::expected<void> inject(base::fault_point at, const base::fault_rule& rule);

  std::uint64_t seed_;
  /// Held while something is injected.
  std::mutex mutex_;
  bool ended_ = false;
};

} // namespace matchcloud::http
