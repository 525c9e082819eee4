#include "store/postgres/postgres_secrets.hpp"

#include "store/files/secret_text.hpp"
#include "store/postgres/postgres.hpp"

#include <string>
#include <utility>

namespace matchcloud::store {

postgres_secrets::postgres_secrets(postgres_settings settings, const base::secret_bytes& key,
                                   const base::clock& clock)
    : settings_{std::move(settings)}, key_{key}, clock_{&clock} {}

postgres_secrets::~postgres_secrets() = default;

base::expected<postgres_connection*> postgres_secrets::connected() {
  if (!on_ || !on_->is_usable()) {
    on_.reset();
    auto opened = postgres_connection::open(settings_);
    if (!opened) return tl::unexpected(opened.error());
    on_ = *std::move(opened);
  }
  return on_.get();
}

base::expected<secret_versions> postgres_secrets::load(secret_name name) {
  const std::lock_guard lock{mutex_};
  return load_or_create(name);
}

base::expected<std::optional<secret_versions>> postgres_secrets::find(secret_name name) {
  const std::lock_guard lock{mutex_};
  return read(name, false);
}

base::expected<std::optional<secret_versions>> postgres_secrets::read(secret_name name,
                                                                      bool locks) {
  static constexpr sql_command look{"SELECT sealed FROM secrets WHERE name = $1", "read a secret"};
  static constexpr sql_command take{"SELECT sealed FROM secrets WHERE name = $1 FOR UPDATE",
                                    "read a secret"};
  const auto on = connected();
  if (!on) return tl::unexpected(on.error());
  const auto label = facts_of(name).name;
  std::optional<std::string> sealed;
  auto done = for_each_row(**on, locks ? take : look, {label}, [&](sql_row& row) {
    const auto bytes = row.blob(0);
    sealed.emplace(bytes.begin(), bytes.end());
  });
  if (!done) return tl::unexpected(done.error());
  if (!sealed) return std::nullopt;
  const auto text = unseal(key_, label, *sealed);
  if (!text) return tl::unexpected(text.error());
  auto versions = parse_secrets(name, std::string{label}, *text);
  if (!versions) return tl::unexpected(versions.error());
  return std::optional{*std::move(versions)};
}

base::expected<secret_versions> postgres_secrets::load_or_create(secret_name name) {
  static constexpr sql_command insert{
      "INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      "write a secret"};
  auto found = read(name, false);
  if (found && !*found) {
    auto& on = *on_;
    auto changes = sql_transaction::write(on, std::nullopt, "make a secret");
    if (!changes) return tl::unexpected(changes.error());
    const auto label = facts_of(name).name;
    const auto made =
        seal(key_, label, render_secrets(name, {new_secret_version(clock_->unix_ms())}));
    const sql_value::blob bytes{reinterpret_cast<const std::uint8_t*>(made.data()), made.size()};
    auto done = on.run(insert, {label, bytes});
    if (done) done = changes->commit();
    if (!done) return tl::unexpected(done.error());
    found = read(name, false); // another process may have been faster
  }
  if (!found) return tl::unexpected(found.error());
  if (!*found)
    return base::fail(base::errc::store_failed,
                      "the secret " + std::string{facts_of(name).name} +
                          " was removed while it was created. Try again.");
  return **std::move(found);
}

base::expected<bool> postgres_secrets::apply(secret_name name, const change& make) {
  static constexpr sql_command update{"UPDATE secrets SET sealed = $1 WHERE name = $2",
                                      "write a secret"};
  const std::lock_guard lock{mutex_};
  if (const auto there = load_or_create(name); !there) return tl::unexpected(there.error());
  auto& on = *on_;
  auto changes = sql_transaction::write(on, std::nullopt, "rotate a secret");
  if (!changes) return tl::unexpected(changes.error());
  const auto before = read(name, true);
  if (!before) return tl::unexpected(before.error());
  if (!*before) return on.failure("rotate a secret", "it was removed in the meantime");
  const auto after = make(**before);
  if (!after) return tl::unexpected(after.error());
  if (!*after) return false;
  const auto label = facts_of(name).name;
  const auto sealed = seal(key_, label, render_secrets(name, **after));
  const sql_value::blob bytes{reinterpret_cast<const std::uint8_t*>(sealed.data()), sealed.size()};
  auto done = on.run(update, {bytes, label});
  if (done) done = changes->commit();
  if (!done) return tl::unexpected(done.error());
  return true;
}

} // namespace matchcloud::store
