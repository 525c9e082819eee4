#pragma once

namespace matchcloud::cli {

/// Removes empty variables that this program or its libraries read (`MATCHCLOUD_*`, `AWS_*`, `PG*`,
/// `SSL_CERT_*`) from the environment, so that they count as absent everywhere. Compose files and
/// unit files set variables to nothing if there is no value, and libraries would use the empty
/// value: libpq rejects an empty PGSSLMODE. Call before any thread is started.
void forget_empty_variables();

} // namespace matchcloud::cli
