#include "base/files/secret_access.hpp"

#include "base/files/working_identity.hpp"

#include <array>
#include <cstdio>

namespace matchcloud::base {

std::string secret_exposure(const std::string& path, const struct stat& found) {
  std::array<char, 8> octal{};
  std::snprintf(octal.data(), octal.size(), "%04o",
                static_cast<unsigned>(found.st_mode &
                                      (S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO)));
  const std::string mode = std::string{"its mode "} + octal.data();
  if ((found.st_mode & S_IRWXO) != 0)
    return mode +
           " gives every user of this machine access; only its owner may have access, and its "
           "group "
           "if the owner is root or the user of this process; run `chmod o-rwx " +
           path + "`";
  const bool is_trusted = found.st_uid == 0 || found.st_uid == working_user();
  if ((found.st_mode & S_IRWXG) == 0 || is_trusted) return {};
  return mode + " gives the group of another user, " + std::to_string(found.st_uid) +
         ", access; the group may have access only if the owner is root or the user of this "
         "process; run `chmod g-rwx " +
         path + "`";
}

} // namespace matchcloud::base
