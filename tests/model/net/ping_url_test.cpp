#include "model/net/ping_url.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::model {
namespace {

TEST_CASE("a ping URL is https, or of the machine itself") {
  for (const std::string good :
       {"https://lon.example/ping", "HTTPS://Lon.Example:8443/ping?x=1", "https://81.2.69.142/",
        "https://[2001:db8::1]:443/ping", "http://127.0.0.1:8080/ping", "http://localhost/ping",
        "http://[::1]:8080/ping"})
    CHECK(is_ping_url(good));
  for (const std::string bad :
       {"", "lon.example", "http://lon.example/ping", "https://user:secret@lon.example/",
        "https://lon.example/#x", "javascript:alert(1)", "https://", "https://*.example/",
        "https://lon.example;script-src/", "https://a b/", "wss://lon.example/",
        "https://lon.example:99999/", "http://127.0.0.1.evil.example/"})
    CHECK_FALSE(is_ping_url(bad));
  CHECK(is_ping_url("https://lon.example/" + std::string(ping_url_limit_bytes - 20, 'a')));
  CHECK_FALSE(is_ping_url("https://lon.example/" + std::string(ping_url_limit_bytes - 19, 'a')));
}

TEST_CASE("the origin of a ping URL is as a browser writes it") {
  CHECK(origin_of("HTTPS://Lon.Example:8443/ping?x=1") == "https://lon.example:8443");
  CHECK(origin_of("https://lon.example:443/ping") == "https://lon.example");
  CHECK(origin_of("http://[::1]:8080/ping") == "http://[::1]:8080");
}

} // namespace
} // namespace matchcloud::model
