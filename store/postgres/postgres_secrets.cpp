#include "store/postgres/postgres_secrets.hpp"

#include "base/characters.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "base/files/working_identity.hpp"
#include "base/randomness.hpp"
#include "store/postgres/postgres.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;

using cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const std::uint8_t* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes_of(std::string& text) noexcept {
  return reinterpret_cast<std::uint8_t*>(text.data());
}

/// Runs the cipher in one direction over `name` and `from`; false if it fails.
bool run(EVP_CIPHER_CTX* with, int encrypts, const base::secret_bytes& key, std::string_view nonce,
         std::string_view name, std::string_view from, std::string& to, std::string& tag) {
  int length = 0;
  to.resize(from.size());
  const bool begun = EVP_CipherInit_ex(with, EVP_aes_256_gcm(), nullptr, key.data(),
                                       bytes_of(nonce), encrypts) == 1 &&
                     EVP_CipherUpdate(with, nullptr, &length, bytes_of(name),
                                      static_cast<int>(name.size())) == 1 &&
                     EVP_CipherUpdate(with, bytes_of(to), &length, bytes_of(from),
                                      static_cast<int>(from.size())) == 1;
  if (!begun) return false;
  if (encrypts == 0 && EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data()) != 1)
    return false;
  std::array<std::uint8_t, tag_bytes> rest{}; // this mode leaves none
  if (EVP_CipherFinal_ex(with, rest.data(), &length) != 1) return false;
  return encrypts == 0 ||
         EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_GCM_GET_TAG, tag_bytes, tag.data()) == 1;
}

std::optional<base::secret_bytes> parse_key(std::string_view text) {
  base::secret_bytes key{};
  std::size_t digits = 0;
  bool in_comment = false;
  for (const char c : text) {
    in_comment = c == '#' || (in_comment && c != '\n');
    if (in_comment || c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    const int digit = base::hex_value(c);
    if (digit < 0 || digits == 2 * key.size()) return std::nullopt;
    key[digits / 2] = static_cast<std::uint8_t>(key[digits / 2] << 4 | digit);
    ++digits;
  }
  if (digits != 2 * key.size()) return std::nullopt;
  return key;
}

tl::unexpected<base::error> refuse_key(const std::string& path, const std::string& why) {
  return base::fail(base::errc::config_invalid, path + ": " + why);
}

} // namespace

base::expected<base::secret_bytes> read_master_key(const std::string& path) {
  constexpr auto advice = "`openssl rand -hex 32` makes one; give the same to every replica";
  if (path.empty())
    return base::fail(base::errc::config_invalid,
                      std::string{"a store in PostgreSQL needs master-key-file, the key of its "
                                  "secrets; "} +
                          advice);
  const base::as_invoker self;
  const base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0)
    return base::io_failure(path, "open the file of the master key", errno,
                            base::errc::config_invalid);
  if (!S_ISREG(found.st_mode)) return refuse_key(path, "the master key must be in a regular file");
  if (const auto exposed = base::secret_exposure(path, found); !exposed.empty())
    return refuse_key(path, "this is the master key, and " + exposed +
                                "; if somebody may have read it, make another one");
  const auto text = base::read_bounded(file.get(), master_key_file_limit_bytes);
  if (!text)
    return base::io_failure(path, "read the file of the master key", errno,
                            base::errc::config_invalid);
  if (const auto key = parse_key(*text)) return *key;
  return refuse_key(path, std::string{"a master key is 64 hexadecimal digits; "} + advice);
}

std::string seal(const base::secret_bytes& key, std::string_view name, std::string_view text) {
  std::string nonce(nonce_bytes, '\0');
  base::fill_random({bytes_of(nonce), nonce.size()});
  std::string hidden;
  std::string tag(tag_bytes, '\0');
  const cipher with{EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free};
  if (!with || !run(with.get(), 1, key, nonce, name, text, hidden, tag))
    throw std::runtime_error{"AES-256-GCM is not available"};
  return nonce + tag + hidden;
}

base::expected<std::string> unseal(const base::secret_bytes& key, std::string_view name,
                                   std::string_view sealed) {
  std::string text;
  if (sealed.size() >= nonce_bytes + tag_bytes) {
    std::string tag{sealed.substr(nonce_bytes, tag_bytes)};
    const cipher with{EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free};
    if (with && run(with.get(), 0, key, sealed.substr(0, nonce_bytes), name,
                    sealed.substr(nonce_bytes + tag_bytes), text, tag))
      return text;
  }
  return base::fail(base::errc::store_failed,
                    "the secret " + std::string{name} +
                        " in the database was encrypted with another master key, or is damaged; "
                        "use the key of the other replicas, or remove the row");
}

namespace {

sql_value::blob blob_of(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

} // namespace

postgres_secrets::postgres_secrets(postgres_settings settings, const base::secret_bytes& key,
                                   const base::clock& clock)
    : settings_{std::move(settings)}, key_{key}, clock_{&clock} {}

postgres_secrets::~postgres_secrets() = default;

void postgres_secrets::connect() {
  if (on_ && on_->is_usable()) return;
  on_.reset();
  on_ = postgres_connection::open(settings_);
}

base::expected<secret_versions> postgres_secrets::load() {
  const std::lock_guard lock{mutex_};
  return base::attempt([&] { return load_or_create(); });
}

base::expected<std::optional<secret_versions>> postgres_secrets::find() {
  const std::lock_guard lock{mutex_};
  return base::attempt([&] {
    connect();
    return read(false);
  });
}

std::optional<secret_versions> postgres_secrets::read(bool locks) {
  static constexpr sql_command look{"SELECT sealed FROM secrets WHERE name = $1", "read a secret"};
  static constexpr sql_command take{"SELECT sealed FROM secrets WHERE name = $1 FOR UPDATE",
                                    "read a secret"};
  const auto sealed = on_->first(locks ? take : look, {signing_keys_name}, [](sql_row& row) {
    const auto bytes = row.blob(0);
    return std::string{bytes.begin(), bytes.end()};
  });
  if (!sealed) return std::nullopt;
  const auto text = base::value_of(unseal(key_, signing_keys_name, *sealed));
  return parse_secrets(std::string{signing_keys_name}, text);
}

secret_versions postgres_secrets::load_or_create() {
  static constexpr sql_command insert{
      "INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      "write a secret"};
  connect();
  auto found = read(false);
  if (!found) {
    auto changes = sql_transaction::write(*on_, std::nullopt, "make a secret");
    const auto made =
        seal(key_, signing_keys_name, render_secrets({new_secret_version(clock_->unix_ms())}));
    on_->run(insert, {signing_keys_name, blob_of(made)});
    changes.commit();
    found = read(false); // another process may have been faster
  }
  if (!found)
    throw base::failure{base::errc::store_failed,
                        "the secret signing-keys was removed while it was created. Try again."};
  return *std::move(found);
}

base::expected<void> postgres_secrets::apply(const change& make) {
  static constexpr sql_command update{"UPDATE secrets SET sealed = $1 WHERE name = $2",
                                      "write a secret"};
  const std::lock_guard lock{mutex_};
  return base::attempt([&] {
    load_or_create();
    auto changes = sql_transaction::write(*on_, std::nullopt, "rotate a secret");
    const auto before = read(true);
    if (!before) throw on_->failure("rotate a secret", "it was removed in the meantime");
    const auto sealed = seal(key_, signing_keys_name, render_secrets(make(*before)));
    on_->run(update, {blob_of(sealed), signing_keys_name});
    changes.commit();
  });
}

} // namespace matchcloud::store
