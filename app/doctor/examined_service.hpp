#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/takeover/local_socket.hpp"
#include "store/store_examination.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// A service that is about to start, as checks see it. Results that several checks need are
/// obtained once. Changes nothing. One thread.
class examined_service {
public:
  /// `unknown_variables`: variables in the environment that are not keys.
  explicit examined_service(base::expected<serve_config> configuration,
                            std::vector<std::string> unknown_variables = {});

  const base::expected<serve_config>& configuration() const noexcept { return configuration_; }
  const std::vector<std::string>& unknown_variables() const noexcept { return unknown_variables_; }

  /// The configuration, with the number of event loops; only if it is not refused.
  const serve_config& config() const { return *configuration_; }
  /// What would serve the data plane, and the reason for its size.
  const std::string& served_by() const noexcept { return served_by_; }

  /// Waits for a server for some seconds at most.
  const base::expected<store::store_examination>& store();
  /// The process that serves one of these listeners from the same data directory as the same user,
  /// or, for root, as any user; empty if there is none.
  const std::optional<http::local_peer>& running();
  /// The id of that process; 0 if there is none, if it is in another container, and if the
  /// configuration is refused.
  pid_t serving();

  /// Whether checks may write to the bucket, into an object of their own that they remove.
  bool may_write = false;

private:
  base::expected<serve_config> configuration_;
  std::vector<std::string> unknown_variables_;
  std::string served_by_;
  std::optional<base::expected<store::store_examination>> store_;
  std::optional<std::optional<http::local_peer>> running_;
};

/// Such as "process 4242".
std::string name_of_process(pid_t pid);

} // namespace matchcloud::app
