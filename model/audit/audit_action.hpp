#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::model {

/// What the audit log says was done.
enum class audit_action : std::uint8_t {
  token_create,
  token_rotate,
  token_revoke,
  token_expire,
  catalog_put,
  catalog_remove,
  catalog_import,
  lobbies_import,
  lobbies_ingest,
  lobbies_ingest_sum,
  lobbies_close,
  lobbies_expire,
  retention_confirm,
  avatars_import,
  avatar_remove,
  game_erase,
  game_erased,
  fault_put,
  fault_clear,
  fault_heal,
  log_levels_put,
  service_start,
  service_reload,
  signing_key_rotate,
  demo_seed,
  store_copy,
  audit_expire,
};

struct audit_action_facts {
  audit_action id;
  std::string_view name;
  /// What an entry is about, for docs/security.md. The console has its own words.
  std::string_view what;
};

inline constexpr std::array audit_actions{
    audit_action_facts{audit_action::token_create, "token.create",
                       "a new token, with its SHA-256 like in all entries of tokens"},
    audit_action_facts{audit_action::token_rotate, "token.rotate", "a new text for a token"},
    audit_action_facts{audit_action::token_revoke, "token.revoke", "a revoked token"},
    audit_action_facts{audit_action::token_expire, "token.expire",
                       "removed tokens: how many, and how old"},
    audit_action_facts{audit_action::catalog_put, "catalog.put",
                       "a new or changed element of the catalog"},
    audit_action_facts{audit_action::catalog_remove, "catalog.remove",
                       "a removed element of the catalog"},
    audit_action_facts{audit_action::catalog_import, "catalog.import",
                       "a document with several elements: their number and the revisions"},
    audit_action_facts{audit_action::lobbies_import, "lobbies.import",
                       "written lobbies, with the file's name as `subject`"},
    audit_action_facts{audit_action::lobbies_ingest, "lobbies.ingest",
                       "an author's first ingest in an hour"},
    audit_action_facts{audit_action::lobbies_ingest_sum, "lobbies.ingest.sum",
                       "an author's totals of an hour: requests with changes, and changed lobbies"},
    audit_action_facts{audit_action::lobbies_close, "lobbies.close",
                       "lobbies that got a stop, with their number"},
    audit_action_facts{
        audit_action::lobbies_expire, "lobbies.expire",
        "expired lobbies of a game, and the time from which its history is complete"},
    audit_action_facts{audit_action::retention_confirm, "retention.confirm", "a confirmed expiry"},
    audit_action_facts{audit_action::avatars_import, "avatars.import",
                       "written avatars, with the file's name as `subject`"},
    audit_action_facts{audit_action::avatar_remove, "avatar.remove", "a removed avatar"},
    audit_action_facts{audit_action::game_erase, "game.erase", "the start of a game's erasure"},
    audit_action_facts{audit_action::game_erased, "game.erased",
                       "the end of a game's erasure, with counts"},
    audit_action_facts{audit_action::fault_put, "fault.put", "an injected fault"},
    audit_action_facts{audit_action::fault_clear, "fault.clear", "a removed fault"},
    audit_action_facts{audit_action::fault_heal, "fault.heal", "a fault whose time was up"},
    audit_action_facts{audit_action::log_levels_put, "log-levels.put", "levels of the log"},
    audit_action_facts{audit_action::service_start, "service.start",
                       "the protections that a service on a fixed port started with, by host"},
    audit_action_facts{audit_action::service_reload, "service.reload",
                       "the protections that a reload changed, by host"},
    audit_action_facts{audit_action::signing_key_rotate, "signing-key.rotate",
                       "a new signing key, and whether the old ones ended"},
    audit_action_facts{audit_action::demo_seed, "demo.seed", "demo data"},
    audit_action_facts{
        audit_action::store_copy, "store.copy",
        "a copy or restored backup: everything earlier came from the place in `subject`"},
    audit_action_facts{audit_action::audit_expire, "audit.expire",
                       "removed entries: how many, and how old"},
};

static_assert(
    [] {
      for (std::size_t i = 0; i < audit_actions.size(); ++i)
        if (audit_actions[i].id != static_cast<audit_action>(i)) return false;
      return true;
    }(),
    "the facts are in the order of the actions");

constexpr std::string_view name_of(audit_action which) noexcept {
  return audit_actions[static_cast<std::size_t>(which)].name;
}

} // namespace matchcloud::model
