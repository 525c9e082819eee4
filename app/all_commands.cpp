#include "app/all_commands.hpp"

#include "app/commands/commands.hpp"
#include "app/plans/plan_run.hpp"

namespace matchcloud::app {

void add_all_commands(CLI::App& program, int& code) {
  for (const auto rows :
       {serve_command,     doctor_command,    import_commands,  catalog_commands,
        store_commands,    backup_commands,   objects_commands, game_commands,
        avatar_commands,   retention_command, lobbies_commands, token_commands,
        audit_command,     explain_command,   latency_commands, signing_key_commands,
        tls_commands,      health_command,    export_command,   validate_command,
        fault_commands,    fault_run_command, demo_command,     schema_command,
        openapi_command,   reload_command,    version_command,  help_command,
        completion_command})
    cli::add_commands(program, code, rows());
}

} // namespace matchcloud::app
