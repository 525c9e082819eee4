#include "tests/service/tls_files.hpp"

#include <filesystem>

namespace matchcloud::e2e {

void tls_pair_files::replace(const http::tls_material::pair& by) const {
  const auto new_key = directory_.file("new-key.pem", by.key);
  const auto new_certificate = directory_.file("new-cert.pem", by.certificate);
  std::filesystem::rename(new_key, key());
  std::filesystem::rename(new_certificate, certificate());
}

void tls_pair_files::put(const std::string& name, std::string_view bytes) const {
  std::filesystem::rename(directory_.file("new-" + name, bytes), directory_.path(name));
}

arguments operator+(arguments flags, const arguments& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

const tls_pair_files& shared_files() {
  static const tls_pair_files only;
  return only;
}

} // namespace matchcloud::e2e
