#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace matchcloud::cli {

/// A new file for a secret: only its owner may read it, whatever the umask, and it never replaces a
/// file. It is created before the secret is made, so that a wrong name does not lose the secret.
/// One thread.
class private_file {
public:
  /// Creates the file with mode 0600. Fails with `io_failed` or `store_full`, also if the name is
  /// taken, even by a dangling link.
  static base::expected<private_file> create(const std::string& file);

  private_file(private_file&& other) noexcept = default;
  private_file& operator=(private_file&&) = delete;
  /// Removes the file unless everything was written.
  ~private_file();

  /// Writes the whole content and syncs it. Fails with `io_failed` or `store_full`.
  base::expected<void> write(std::string_view bytes);

private:
  private_file(std::string name, base::file_descriptor file)
      : name_{std::move(name)}, file_{std::move(file)} {}

  std::string name_;
  /// Open until everything is written.
  base::file_descriptor file_;
};

} // namespace matchcloud::cli
