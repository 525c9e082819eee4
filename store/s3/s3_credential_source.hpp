#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/files/file_state.hpp"
#include "store/s3/s3_credentials.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace matchcloud::store {

/// Gives the value of an environment variable, or nothing if it is not set.
using environment = std::function<std::optional<std::string>(const char* name)>;

/// The environment of this process. Any thread, as long as nobody changes it.
environment process_environment();

/// The longest credentials file.
inline constexpr std::size_t credentials_limit_bytes = 256UL * 1024;

/// How long the file is not looked at again, so that requests do not wait for it.
inline constexpr std::chrono::seconds credentials_look_interval{5};

/// Where credentials come from: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
/// `AWS_SESSION_TOKEN` if the first is set, which then stay; else the profile `AWS_PROFILE`
/// (`default`) of the file `AWS_SHARED_CREDENTIALS_FILE` (`~/.aws/credentials`), which is read
/// again when it has changed. Any thread; may wait for the disk.
class s3_credential_source {
public:
  /// Reads credentials. Fails with `config_invalid` if there are none or they are broken; the
  /// detail names the variable or the file and what to do, and has nothing of the credentials. A
  /// file that others can read is taken, with a warning in the log. `time` must outlive the source.
  static base::expected<std::unique_ptr<s3_credential_source>> open(const environment& from,
                                                                    const base::clock& time);

  /// The present credentials. If the file has become unreadable, those that were read last, with a
  /// warning in the log.
  s3_credentials_ptr current();
  /// Looks at the file now: the service refuses what `current` gave. Returns whether there are
  /// other credentials.
  bool renew();

private:
  s3_credential_source(const base::clock& time, std::string file, std::string profile)
      : time_{time}, file_{std::move(file)}, profile_{std::move(profile)} {}

  /// Reads the file.
  base::expected<void> read();
  /// Reads the file if it has changed. `mutex_` must be held.
  void look();

  const base::clock& time_;
  /// Empty if the credentials are those of the environment.
  std::string file_;
  std::string profile_;
  std::mutex mutex_;
  s3_credentials_ptr last_;
  file_state state_;
  base::steady_time looked_{};
};

} // namespace matchcloud::store
