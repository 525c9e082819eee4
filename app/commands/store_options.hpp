#pragma once

#include "store/engines/store_place.hpp"

#include <CLI/CLI.hpp>

namespace matchcloud::app {

/// Adds the options that say where the store is: `--data-dir`, `--store` and `--store-unverified`.
/// MATCHCLOUD_DATA_DIR, MATCHCLOUD_STORE and MATCHCLOUD_STORE_UNVERIFIED in the environment replace
/// missing flags, as in serve. Returns `--data-dir`, so that a command can add requirements.
/// `place` must outlive the parsing.
CLI::Option* add_store_options(CLI::App& command, store::store_place& place);

/// Adds `--master-key-file`, for commands that read or change secrets.
void add_master_key_option(CLI::App& command, store::store_place& place);

/// Adds the options that say where images and exports are: `--objects` and the other
/// `--objects-..`, with their variables as in serve. `place` must outlive the parsing.
void add_objects_options(CLI::App& command, store::store_place& place);

} // namespace matchcloud::app
