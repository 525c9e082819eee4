#pragma once

#include "model/audit/audit.hpp"

#include <sys/types.h>

#include <string>

namespace matchcloud::store {

/// The name of a user; empty if it has none. Any thread.
std::string name_of_user(uid_t uid);

/// The user that this process runs as, the author of changes that name no other. Any thread.
const model::audit_author& local_author();

} // namespace matchcloud::store
