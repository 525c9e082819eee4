#pragma once

#include <sys/stat.h>

#include <string>

namespace matchcloud::base {

/// The rule for files with secrets. Their owner may have access. So may their group, if the owner
/// is root or the user that this thread works on files as (`working_user`), because Kubernetes
/// mounts a Secret as root:fsGroup 0440 and turns 0600 in a volume into 0660. No other user may
/// have access. This never changes a mode.
///
/// Returns what is wrong with the file at `path`, whose status is `found`, and the command that
/// fixes it, as the end of a sentence that begins with the path: "its mode 0644 gives ..; run
/// `chmod o-rwx PATH`". Empty if nothing is wrong.
std::string secret_exposure(const std::string& path, const struct stat& found);

} // namespace matchcloud::base
