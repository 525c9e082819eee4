#include "store/copy/copied_tables.hpp"

#include <array>

namespace matchcloud::store {

namespace {

using enum column_type;

constexpr std::array revisions{copied_column{"name", text}, copied_column{"revision", integer}};

constexpr std::array regions{
    copied_column{"region_id", text},
    copied_column{"region_display_name", text},
    copied_column{"provider_display_name", text},
    copied_column{"latitude", real},
    copied_column{"longitude", real},
    copied_column{"removed", integer},
    copied_column{"ping_url", text},
};

constexpr std::array tiers{copied_column{"tier", text}, copied_column{"removed", integer}};

constexpr std::array games{
    copied_column{"game_id", uuid},
    copied_column{"display_name", text},
    copied_column{"removed", integer},
    copied_column{"retention_days", integer},
};

constexpr std::array namespaces{
    copied_column{"namespace_id", uuid}, copied_column{"game_id", uuid},
    copied_column{"name", text},         copied_column{"all_regions", integer},
    copied_column{"removed", integer},
};

constexpr std::array namespace_domains{
    copied_column{"domain", text},
    copied_column{"namespace_id", uuid},
};

constexpr std::array namespace_regions{
    copied_column{"namespace_id", uuid},
    copied_column{"region_id", text},
};

constexpr std::array game_revisions{
    copied_column{"subject", text},
    copied_column{"game_id", uuid},
    copied_column{"revision", integer},
};

constexpr std::array lobby_changes{
    copied_column{"game_id", uuid},
    copied_column{"writer", uuid},
    copied_column{"changes", integer},
};

constexpr std::array avatars{
    copied_column{"upload_id", uuid},         copied_column{"game_id", uuid},
    copied_column{"display_name", text},      copied_column{"create_ts", integer},
    copied_column{"content_length", integer}, copied_column{"complete", integer},
    copied_column{"image_digest", blob},      copied_column{"image_type", integer},
};

constexpr std::array lobby_kinds{
    copied_column{"kind", integer},    copied_column{"namespace_id", uuid},
    copied_column{"region_id", text},  copied_column{"tier", text},
    copied_column{"version_id", uuid}, copied_column{"version_name", text},
    copied_column{"game_mode", text},
};

// In the order in which they are clustered in SQLite, and indexed in PostgreSQL.
constexpr std::array lobbies{
    copied_column{"game_id", uuid},     copied_column{"duration_class", integer, true},
    copied_column{"start_ts", integer}, copied_column{"lobby_id", uuid},
    copied_column{"stop_ts", integer},  copied_column{"kind", integer},
};

constexpr std::array history_horizons{
    copied_column{"game_id", uuid},
    copied_column{"complete_from_ts", integer},
};

constexpr std::array erasures{
    copied_column{"game_id", uuid},
    copied_column{"begun_ms", integer},
    copied_column{"begun_transaction", integer},
    copied_column{"lobbies", integer},
    copied_column{"avatars", integer},
    copied_column{"exports", integer},
    copied_column{"tokens", integer},
    copied_column{"finished_ms", integer},
};

constexpr std::array tokens{
    copied_column{"token_id", uuid},
    copied_column{"kind", text},
    copied_column{"name", text},
    copied_column{"scope", uuid},
    copied_column{"digest", blob},
    copied_column{"former_digest", blob},
    copied_column{"former_until_ms", integer},
    copied_column{"created_ms", integer},
    copied_column{"created_by", text},
    copied_column{"expires_ms", integer},
    copied_column{"revoked_ms", integer},
    copied_column{"cheap_limit", text},
    copied_column{"expensive_limit", text},
};

constexpr std::array token_uses{
    copied_column{"token_id", uuid},
    copied_column{"last_use_ms", integer},
};

constexpr std::array latencies{
    copied_column{"cell", integer},     copied_column{"region_id", text},
    copied_column{"latitude", real},    copied_column{"longitude", real},
    copied_column{"minute", integer},   copied_column{"voices", blob},
    copied_column{"revision", integer},
};

constexpr std::array audit{
    copied_column{"entry", integer},    copied_column{"at_ms", integer},
    copied_column{"author_kind", text}, copied_column{"author_name", text},
    copied_column{"author_id", text},   copied_column{"address", text},
    copied_column{"request_id", text},  copied_column{"action", text},
    copied_column{"subject", text},     copied_column{"before", text},
    copied_column{"after", text},
};

constexpr copied_table all_revisions{"revisions", 1, revisions, false,
                                     "name IN ('catalog', 'tokens', 'latencies')"};

constexpr std::array tables{
    copied_table{"regions", 1, regions},
    copied_table{"tiers", 1, tiers},
    copied_table{"games", 1, games},
    copied_table{"namespaces", 1, namespaces},
    copied_table{"namespace_domains", 1, namespace_domains},
    copied_table{"namespace_regions", 2, namespace_regions},
    copied_table{"game_revisions", 2, game_revisions},
    copied_table{"lobby_changes", 2, lobby_changes},
    copied_table{"erasures", 1, erasures},
    copied_table{"avatars", 1, avatars},
    copied_table{"lobby_kinds", 1, lobby_kinds, true},
    copied_table{"lobbies", 4, lobbies},
    copied_table{"history_horizons", 1, history_horizons},
    copied_table{"tokens", 1, tokens},
    copied_table{"token_uses", 1, token_uses},
    copied_table{"latency_voices", 2, latencies},
    copied_table{"audit", 1, audit, true},
};

} // namespace

const copied_table& revisions_table() noexcept {
  return all_revisions;
}

std::span<const copied_table> copied_tables() noexcept {
  return tables;
}

const copied_table& audit_log_table() noexcept {
  return tables.back();
}

const copied_table& tiers_table() noexcept {
  return tables[1];
}

} // namespace matchcloud::store
