#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"

#include "base/clock.hpp"
#include "cli/print.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct rotate_options {
  store::store_place store;
  bool revoke = false;
};

/// Enters a rotation in the audit log. The store does not hold the keys, so the entry is written
/// first: a rotation that then fails leaves an entry, but no rotation lacks one.
base::expected<void> record(const rotate_options& options) {
  const auto* after = options.revoke ? R"({"revoke":true})" : R"({"revoke":false})";
  return store::open_existing_store(options.store)
      .and_then([](const auto& database) { return database->access(); })
      .and_then([&](const auto& into) {
        return into->record({model::audit_action::signing_key_rotate, {}, {}, after});
      });
}

int rotate(const rotate_options& options) {
  const auto replaced =
      options.revoke ? store::replaced_secrets::revoke : store::replaced_secrets::keep;
  const auto done = record(options).and_then([&] {
    return store::open_secrets(options.store).and_then([&](const auto& secrets) {
      return secrets->rotate(store::secret_name::signing_keys, base::machine_clock().unix_ms(),
                             replaced);
    });
  });
  if (!done) {
    cli::say("matchcloud signing-key rotate", done.error().detail);
    return failed;
  }
  std::cout << (options.revoke
                    ? "a new key signs from now on; URLs handed out so far are refused"
                    : "a new key signs from now on; URLs handed out so far work until they expire")
            << std::endl;
  return ok;
}

void add_rotate(CLI::App& to, int& code) {
  const auto options = std::make_shared<rotate_options>();
  auto* command = to.add_subcommand("rotate", "Sign with a new key from now on.");
  add_store_options(*command, options->store);
  add_master_key_option(*command, options->store);
  command->add_flag("--revoke", options->revoke,
                    "Refuse everything that earlier keys signed, at once.");
  set_help(*command,
           "URLs that the replaced key signed work until they expire. With --revoke they stop "
           "working at once: use it if a key may have leaked. Clients that lose a URL this way "
           "request the export again. Running servers follow within seconds.\n\n"
           "Example: matchcloud signing-key rotate --data-dir var\n"
           "Example: matchcloud signing-key rotate --revoke --data-dir var");
  command->callback([options, &code] { code = rotate(*options); });
}

} // namespace

void add_signing_key_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("signing-key", "Change the key that signs URLs.");
  command->require_subcommand(1);
  set_help(*command, "The URL of an export is signed, so that only clients that were given it can "
                     "download. The keys are in DATA_DIR/signing-keys; the first server that needs "
                     "them makes them.\n\nExample: matchcloud signing-key rotate");
  add_rotate(*command, code);
}

} // namespace matchcloud::app
