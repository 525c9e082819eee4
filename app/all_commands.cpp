#include "app/all_commands.hpp"

#include "app/backup/backup_commands.hpp"
#include "app/commands/commands.hpp"
#include "app/help/help_commands.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/latency/latency_commands.hpp"
#include "app/plans/plan_commands.hpp"

namespace matchcloud::app {

void add_all_commands(CLI::App& program, int& code) {
  add_serve_command(program, code);
  add_doctor_command(program, code);
  add_import_command(program, code);
  add_catalog_command(program, code);
  add_store_command(program, code);
  add_backup_command(program, code);
  add_restore_command(program, code);
  add_verify_command(program, code);
  add_objects_command(program, code);
  add_game_command(program, code);
  add_avatar_command(program, code);
  add_retention_command(program, code);
  add_lobbies_command(program, code);
  add_token_command(program, code);
  add_audit_command(program, code);
  add_explain_command(program, code);
  add_latency_command(program, code);
  add_signing_key_command(program, code);
  add_tls_command(program, code);
  add_health_command(program, code);
  add_export_command(program, code);
  add_validate_command(program, code);
  add_fault_command(program, code);
  add_demo_command(program, code);
  add_schema_command(program, code);
  add_openapi_command(program, code);
  add_reload_command(program, code);
  add_version_command(program, code);
  add_help_command(program, code);
  add_completion_command(program, code);
}

} // namespace matchcloud::app
