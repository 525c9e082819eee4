#pragma once

#include "app/config/reload.hpp"
#include "app/node/node.hpp"
#include "app/process/reload_request.hpp"
#include "base/expected.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The configuration of a running service, which can be read again. Main thread only.
class running_configuration {
public:
  using reader = std::function<base::expected<std::vector<given_value>>()>;

  /// `given` is in force, `read` reads it again; `file` is what `--config` named, or empty.
  running_configuration(std::vector<given_value> given, std::string file, reader read);

  /// What `GET /v1/config` returns before the first reload.
  std::shared_ptr<const std::string> document() const { return describe(given_, given_); }

  /// Reads it again and makes `of` apply the reloadable keys. If there is any error, nothing
  /// changes.
  reload_outcome reload(node& of);

private:
  std::shared_ptr<const std::string> describe(const std::vector<given_value>& in_force,
                                              const std::vector<given_value>& wanted) const;
  /// Throws `base::failure`.
  reload_outcome take_up(node& of);

  std::vector<given_value> given_;
  std::string file_;
  reader read_;
};

} // namespace matchcloud::app
