#pragma once

#include "model/audit/audit.hpp"

namespace matchcloud::store {

/// The user that this process runs as: who changes what nobody else is named for. Any thread.
const model::audit_author& local_author();

} // namespace matchcloud::store
