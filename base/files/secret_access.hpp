#pragma once

#include <sys/stat.h>

#include <string>

namespace matchcloud::base {

/// The rule about files with secrets. Their owner may have access; so may their group, if the owner
/// is root or the user that this thread works on files as (`working_user`): Kubernetes mounts a
/// Secret as root:fsGroup 0440 and turns 0600 in a volume into 0660. All other users may have none.
/// No mode is ever changed.
///
/// Returns what is wrong with the file at `path`, of which `found` has the facts, and the command
/// that mends it, as the end of a sentence that begins with the path: "its mode 0644 gives ..; do
/// `chmod o-rwx PATH`". Empty if nothing is wrong.
std::string secret_exposure(const std::string& path, const struct stat& found);

} // namespace matchcloud::base
