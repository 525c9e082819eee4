#pragma once

namespace matchcloud::cli {

/// Removes empty variables that this program or its libraries read (`MATCHCLOUD_*`, `AWS_*`, `PG*`,
/// `SSL_CERT_*`) from the environment, so that everywhere they count as absent: compose files and
/// unit files set variables to nothing where there is no value. Libraries would take them for a
/// value: to libpq an empty PGSSLMODE is a wrong one. Call before any thread is started.
void forget_empty_variables();

} // namespace matchcloud::cli
