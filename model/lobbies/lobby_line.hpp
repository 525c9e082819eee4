#pragma once

#include "model/lobbies/lobby.hpp"
#include "model/records/line_error.hpp"
#include "model/records/line_splitter.hpp"
#include "model/records/record_line.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::model {

/// Reads lines of a lobby import: objects with lobby_id, namespace_id, region_id, tier, version_id,
/// version_name, game_mode, start_ts and stop_ts, which is absent or null while the lobby runs. One
/// thread.
class lobby_line_reader {
public:
  /// Members with the names in `ignored` are skipped; `check_ignored` accepts the names.
  explicit lobby_line_reader(std::vector<std::string> ignored = {});

  /// Fails with `config_invalid` and says why if members of these names cannot be ignored.
  static base::expected<void> check_ignored(std::span<const std::string> names);

  /// Reads `line`, whose bytes it overwrites, into `result`, whose storage it reuses. Returns the
  /// first finding in the line, if any; `result` is then unspecified.
  std::optional<line_finding> read(const input_line& line, lobby& result);

private:
  record_reader reader_;
};

} // namespace matchcloud::model
