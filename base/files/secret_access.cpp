#include "base/files/secret_access.hpp"

#include "base/files/working_identity.hpp"

#include <spdlog/fmt/fmt.h>

namespace matchcloud::base {

std::string secret_exposure(const std::string& path, const struct stat& found) {
  const auto mode = found.st_mode & ~static_cast<mode_t>(S_IFMT);
  if ((found.st_mode & S_IRWXO) != 0)
    return fmt::format(
        "its mode {:04o} gives every user of this machine access; only its owner may "
        "have access, and its group if the owner is root or the user of this "
        "process; run `chmod o-rwx {}`",
        mode, path);
  const bool is_trusted = found.st_uid == 0 || found.st_uid == working_user();
  if ((found.st_mode & S_IRWXG) == 0 || is_trusted) return {};
  return fmt::format("its mode {:04o} gives the group of another user, {}, access; the group may "
                     "have access only if the owner is root or the user of this process; run "
                     "`chmod g-rwx {}`",
                     mode, found.st_uid, path);
}

} // namespace matchcloud::base
