#pragma once

#include "model/audit/audit.hpp"

namespace matchcloud::store {

/// The user that this process runs as, the author of changes that name no other. Any thread.
const model::audit_author& local_author();

} // namespace matchcloud::store
