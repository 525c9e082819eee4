#include "http/tls/tls_material.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace {

using kind = base::config_text::kind;

/// Pairs certificates with keys in the order given. The caller checks that their numbers are equal.
auto file_of_each_pair(std::string tls_files::pair::*which) {
  return [which](tls_files& of, const base::config_values& given) -> base::expected<void> {
    auto& pairs = of.pairs;
    pairs.resize(std::max(pairs.size(), given.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i].*which = i < given.size() ? given[i] : std::string{};
    return {};
  };
}

} // namespace

base::config_rows<tls_files> tls_keys() {
  base::config_rows<tls_files> keys{
      {{"tls-cert", kind::list, "", "PEM files; repeatable",
        "The certificates of listeners with /tls, each followed by its chain. The server name that "
        "the client requests (SNI) selects one. If several match, it is ECDSA where the client can "
        "check it, else RSA; if none matches, the first of all. Replaced files are loaded again."},
       file_of_each_pair(&tls_files::pair::certificate)},
      {{"tls-key", kind::list, "", "PEM files without a passphrase; repeatable",
        "The keys of tls-cert, in the same order."},
       file_of_each_pair(&tls_files::pair::key)},
      base::text_row("ops-client-ca", &tls_files::client_ca,
                     "a PEM file; empty: no client certificates",
                     "Authorities whose client certificates have the rights of an admin token on "
                     "the ops plane, if it speaks TLS."),
  };
  return reloadable(std::move(keys));
}

} // namespace matchcloud::http
