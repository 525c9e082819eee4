#include "http/tls/tls_files.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "http/tls/server_certificate.hpp"
#include "http/tls/tls_context.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

namespace matchcloud::http {

namespace {

base::expected<std::string> read_file(const std::string& path) {
  // Non-blocking: opening a named pipe in its place must not wait for the other end.
  const base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return base::io_failure(path, "open the file", errno, base::errc::config_invalid);
  auto text = base::read_bounded(file.get(), tls_file_limit_bytes);
  if (!text) return base::io_failure(path, "read the file", errno, base::errc::config_invalid);
  if (text->size() > tls_file_limit_bytes)
    return base::fail(base::errc::config_invalid,
                      path + ": more than " + std::to_string(tls_file_limit_bytes) +
                          " bytes, so this is not a file of certificates or keys");
  return *std::move(text);
}

/// When a certificate begins and ends to be valid, in seconds since 1970.
struct validity {
  std::int64_t from_s = 0;
  std::int64_t to_s = 0;
};

std::int64_t seconds_of(const ASN1_TIME* time) {
  tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? ::timegm(&parts) : 0;
}

std::optional<validity> validity_of(const tls_material::pair& pair) {
  const auto read = read_server_certificate(pair);
  if (!read) return std::nullopt;
  return validity{seconds_of(X509_get0_notBefore(read->leaf.get())),
                  seconds_of(X509_get0_notAfter(read->leaf.get()))};
}

} // namespace

base::expected<tls_material> read_tls_files(const tls_files& files) {
  tls_material made;
  for (const auto& pair : files.pairs) {
    auto certificate = read_file(pair.certificate);
    if (!certificate) return tl::unexpected(std::move(certificate).error());
    auto key = read_file(pair.key);
    if (!key) return tl::unexpected(std::move(key).error());
    made.pairs.push_back({pair, *std::move(certificate), *std::move(key)});
  }
  if (!files.client_ca.empty()) {
    auto authorities = read_file(files.client_ca);
    if (!authorities) return tl::unexpected(std::move(authorities).error());
    made.client_ca = *std::move(authorities);
    made.client_ca_file = files.client_ca;
    if (made.client_ca.empty())
      return base::fail(base::errc::config_invalid, files.client_ca + ": the file is empty");
  }
  // The ops plane's context uses all of the material.
  if (const auto tried = tls_context::for_server(made, tls_purpose::ops); !tried)
    return tl::unexpected(tried.error());
  return made;
}

std::vector<tls_warning> warnings_of(const tls_material& material, std::int64_t now_ts) {
  constexpr std::int64_t day_s = 86'400;
  const auto now_s = now_ts / 1'000;
  std::vector<tls_warning> lines;
  for (const auto& pair : material.pairs) {
    const auto valid = validity_of(pair);
    if (!valid) continue;
    const auto& file = pair.files.certificate;
    if (now_s < valid->from_s)
      lines.push_back({file + ": the certificate is not valid yet; clients refuse it", true});
    else if (now_s >= valid->to_s)
      lines.push_back({file + ": the certificate has expired; clients refuse it", true});
    else if (valid->to_s - now_s < tls_warning_days * day_s)
      lines.push_back({file + ": the certificate expires in " +
                       std::to_string((valid->to_s - now_s) / day_s) + " days"});
  }
  return lines;
}

std::vector<std::string> exposed_keys(const tls_files& files) {
  std::vector<std::string> lines;
  for (const auto& pair : files.pairs) {
    struct stat found {};
    if (::stat(pair.key.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (const auto exposed = base::secret_exposure(pair.key, found); !exposed.empty())
      lines.push_back(pair.key + ": this is a private key, and " + exposed);
  }
  return lines;
}

std::int64_t first_expiry_s(const tls_material& material) {
  std::int64_t first = 0;
  for (const auto& pair : material.pairs)
    if (const auto valid = validity_of(pair); valid)
      first = first == 0 ? valid->to_s : std::min(first, valid->to_s);
  return first;
}

} // namespace matchcloud::http
