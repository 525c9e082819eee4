#pragma once

#include "tests/fixtures/temporary_directory.hpp"
#include "tests/http/tls/tls_pair.hpp"
#include "tests/service/process.hpp"

#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// A certificate and its key in files that a running server follows.
class tls_pair_files {
public:
  explicit tls_pair_files(const http::tls_material::pair& pair = fixtures::make_tls_pair()) {
    replace(pair);
  }

  std::string certificate() const { return directory_.path("cert.pem"); }
  std::string key() const { return directory_.path("key.pem"); }
  /// Puts other files in their places, each at once. Nothing but that is done between the two: a
  /// service that looks then sees a pair that does not fit.
  void replace(const http::tls_material::pair& by) const;
  /// Puts another file in the place of `name`, at once.
  void put(const std::string& name, std::string_view bytes) const;
  /// --tls-cert and --tls-key.
  arguments flags() const { return {"--tls-cert", certificate(), "--tls-key", key()}; }
  const fixtures::temporary_directory& directory() const noexcept { return directory_; }

private:
  fixtures::temporary_directory directory_;
};

/// `flags`, with `more` behind them.
arguments operator+(arguments flags, const arguments& more);

/// Flags that have both planes, or one of them, speak TLS.
inline const arguments tls_data{"--listen", "127.0.0.1:0/tls"};
inline const arguments tls_ops{"--ops-listen", "127.0.0.1:0/tls"};

/// The files of a certificate that all tests share which do not replace it.
const tls_pair_files& shared_files();

} // namespace matchcloud::e2e
