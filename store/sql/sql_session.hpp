#pragma once

#include "store/session.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/sql.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace matchcloud::store {

class lobby_engine;

/// The roles that all SQL engines implement with the same statements: catalog, avatars
/// (sql_avatars.cpp), access (sql_access.cpp), latencies (sql_latencies.cpp), revisions and the
/// tables. An engine adds a `lobby_engine`, because the speed of lobbies and their history depends
/// on it.
class sql_session : public session, private sql_table {
public:
  /// `on` must outlive the session's use.
  explicit sql_session(sql_connection& on) : sql_table{on, own_audit_}, tables_{on, own_audit_} {}

  // -- catalog_store ----------------------------------------------------------

  base::expected<std::int64_t> revision() override;
  base::expected<model::catalog> load() override;
  base::expected<import_summary> import_document(const model::catalog_document& doc) override;
  base::expected<void> remove(const model::element_key& key) override;
  base::expected<bool> is_erased(const model::uuid& game_id) override;

  // -- avatar_store -----------------------------------------------------------

  base::expected<std::int64_t> read(const model::uuid& game_id,
                                    const std::function<bool(const model::avatar&)>& take) override;
  base::expected<std::vector<put_outcome>> put(std::span<const model::avatar> avatars) override;
  base::expected<void> read_images(const take_image& take) override;
  base::expected<std::vector<put_outcome>> check(std::span<const model::avatar> avatars) override;
  base::expected<bool> has_image(const image_key& key,
                                 std::chrono::milliseconds replaced_for) override;

  // -- lobby_sink, lobby_history, change_feed ---------------------------------

  base::expected<lobby_merge> merge(lobby_batch records,
                                    const model::lobby_attributes_table& attributes) override;
  void merge_together(std::span<merge_part> parts) override;
  base::expected<lobby_merge> check(lobby_batch records,
                                    const model::lobby_attributes_table& attributes) override;
  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) override;
  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const history_reader& to) override;
  base::expected<bool> has_any() override;
  base::expected<history_revisions> revisions(const model::uuid& game_id) override;
  base::expected<std::optional<found_lobby>> find_lobby(const model::uuid& game_id,
                                                        const model::uuid& lobby_id) override;
  base::expected<moved_games> moved_games_since(std::int64_t known) override;

  // -- access_store -----------------------------------------------------------

  base::expected<std::int64_t> tokens_revision() override;
  base::expected<model::token_snapshot> load_tokens() override;
  base::expected<void> note_uses(std::span<const token_use> uses) override;
  base::expected<void> record(const model::audit_change& what) override;

  // -- latency_store ----------------------------------------------------------

  base::expected<void> add_latencies(std::span<const model::learned_entry> learned) override;
  base::expected<latency_page> read_latencies(const latency_position& after,
                                              std::size_t limit) override;
  base::expected<base::siphash_key> latency_key() override;
  base::expected<std::size_t> expire_latencies(std::uint32_t before_minute,
                                               std::size_t most) override;

  void attribute(model::audit_run_ptr run) override { own_audit_.attribute(std::move(run)); }
  sql_tables& tables() override { return tables_; }

private:
  virtual lobby_engine& lobbies() noexcept = 0;

  audit_table own_audit_;
  sql_tables tables_;
};

} // namespace matchcloud::store
