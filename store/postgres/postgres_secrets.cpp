#include "store/postgres/postgres_secrets.hpp"

#include "store/files/secret_text.hpp"
#include "store/postgres/postgres.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

sql_value::blob blob_of(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

} // namespace

postgres_secrets::postgres_secrets(postgres_settings settings, const base::secret_bytes& key,
                                   const base::clock& clock)
    : settings_{std::move(settings)}, key_{key}, clock_{&clock} {}

postgres_secrets::~postgres_secrets() = default;

postgres_connection& postgres_secrets::connected() {
  if (!on_ || !on_->is_usable()) {
    on_.reset();
    on_ = postgres_connection::open(settings_);
  }
  return *on_;
}

base::expected<secret_versions> postgres_secrets::load(secret_name name) {
  const std::lock_guard lock{mutex_};
  return base::attempt([&] { return load_or_create(name); });
}

base::expected<std::optional<secret_versions>> postgres_secrets::find(secret_name name) {
  const std::lock_guard lock{mutex_};
  return base::attempt([&] { return read(name, false); });
}

std::optional<secret_versions> postgres_secrets::read(secret_name name, bool locks) {
  static constexpr sql_command look{"SELECT sealed FROM secrets WHERE name = $1", "read a secret"};
  static constexpr sql_command take{"SELECT sealed FROM secrets WHERE name = $1 FOR UPDATE",
                                    "read a secret"};
  const auto label = facts_of(name).name;
  const auto sealed = connected().first(locks ? take : look, {label}, [](sql_row& row) {
    const auto bytes = row.blob(0);
    return std::string{bytes.begin(), bytes.end()};
  });
  if (!sealed) return std::nullopt;
  const auto text = base::value_of(unseal(key_, label, *sealed));
  return base::value_of(parse_secrets(name, std::string{label}, text));
}

secret_versions postgres_secrets::load_or_create(secret_name name) {
  static constexpr sql_command insert{
      "INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      "write a secret"};
  auto found = read(name, false);
  if (!found) {
    auto changes = sql_transaction::write(*on_, std::nullopt, "make a secret");
    const auto label = facts_of(name).name;
    const auto made =
        seal(key_, label, render_secrets(name, {new_secret_version(clock_->unix_ms())}));
    on_->run(insert, {label, blob_of(made)});
    changes.commit();
    found = read(name, false); // another process may have been faster
  }
  if (!found)
    throw base::failure{base::errc::store_failed,
                        "the secret " + std::string{facts_of(name).name} +
                            " was removed while it was created. Try again."};
  return *std::move(found);
}

base::expected<bool> postgres_secrets::apply(secret_name name, const change& make) {
  static constexpr sql_command update{"UPDATE secrets SET sealed = $1 WHERE name = $2",
                                      "write a secret"};
  const std::lock_guard lock{mutex_};
  return base::attempt([&] {
    load_or_create(name);
    auto changes = sql_transaction::write(*on_, std::nullopt, "rotate a secret");
    const auto before = read(name, true);
    if (!before) throw on_->failure("rotate a secret", "it was removed in the meantime");
    const auto after = base::value_of(make(*before));
    if (!after) return false;
    const auto label = facts_of(name).name;
    const auto sealed = seal(key_, label, render_secrets(name, *after));
    on_->run(update, {blob_of(sealed), label});
    changes.commit();
    return true;
  });
}

} // namespace matchcloud::store
