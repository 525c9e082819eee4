#pragma once

#include "store/engines/store_place.hpp"

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the options that say where the store is: `--data-dir`, `--store` and what belongs to it.
/// The environment's MATCHCLOUD_DATA_DIR, MATCHCLOUD_STORE and MATCHCLOUD_STORE_UNVERIFIED stand in
/// for flags, as in serve. Returns `--data-dir`, for what else a command asks of it. `place` must
/// outlive the parsing.
CLI::Option* add_store_options(CLI::App& command, store::store_place& place);

/// Adds `--master-key-file`, for commands that read or change secrets.
void add_master_key_option(CLI::App& command, store::store_place& place);

/// Adds the options that say where images and exports are: `--objects` and what belongs to it, or
/// their variables as in serve. `place` must outlive the parsing.
void add_objects_options(CLI::App& command, store::store_place& place);

} // namespace matchcloud::app
