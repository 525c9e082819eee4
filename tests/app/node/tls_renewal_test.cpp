#include "app/node/tls_renewal.hpp"

#include "app/certificates/new_certificate.hpp"
#include "store/files/secret_files.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>

namespace matchcloud::app {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

/// What a node with TLS has in force, on a clock that only the test moves.
struct tls_renewal_bench {
  fixtures::temporary_directory in;
  fixtures::manual_clock clock;
  std::shared_ptr<store::secret_files> secrets =
      std::make_shared<store::secret_files>(in.path(), clock);
  http::tls_files files{{{in.path("cert.pem"), in.path("key.pem")}}, {}};
  std::unique_ptr<tls_renewal> of;
  int contexts = 0;

  tls_renewal_bench() {
    replace(make_pair());
    auto opened = tls_renewal::open(files, secrets, clock);
    REQUIRE(opened);
    of = *std::move(opened);
    of->follow(http::tls_purpose::data, [this](const auto& context) {
      CHECK(context != nullptr);
      ++contexts;
    });
  }

  static certificate_pair make_pair() {
    const auto now_s = 1'700'000'000;
    const auto made = make_self_signed({parse_certificate_host("localhost").value()},
                                       {now_s, now_s + 86'400 * 9});
    REQUIRE(made);
    return *made;
  }
  void replace(const certificate_pair& by) const {
    in.file("cert.pem", by.certificate_pem);
    in.file("key.pem", by.key_pem);
  }
  std::size_t roots() const {
    return secrets->load(store::secret_name::ticket_roots).value().size();
  }
};

TEST_CASE("roots of tickets are replaced once a day, and gone from the disk half a day later") {
  tls_renewal_bench on;
  CHECK(on.roots() == 1);
  const auto first = on.secrets->load(store::secret_name::ticket_roots)->front().secret;
  on.clock.advance(hours{24});
  on.of->reload();
  CHECK(on.roots() == 1); // not older than a day
  CHECK(on.contexts == 0);
  on.clock.advance(minutes{1});
  on.of->reload();
  CHECK(on.roots() == 2);
  CHECK(on.contexts == 1);
  on.of->reload();
  CHECK(on.contexts == 1);
  on.clock.advance(hours{12});
  on.of->reload();
  CHECK(on.roots() == 2); // a ticket of the last second is still good
  on.clock.advance(minutes{2});
  on.of->reload();
  CHECK(on.roots() == 1);
  CHECK(on.contexts == 2);
  const auto left = on.secrets->load(store::secret_name::ticket_roots);
  CHECK(left->front().secret != first);
}

TEST_CASE("a process follows roots that another one rotated") {
  tls_renewal_bench on;
  on.secrets->rotate(store::secret_name::ticket_roots, on.clock.unix_ms(),
                     store::replaced_secrets::keep);
  on.of->reload();
  CHECK(on.contexts == 1);
}

TEST_CASE("replaced certificates are taken up, broken ones are refused once and keep the last") {
  tls_renewal_bench on;
  const auto taken_within = [&](std::uint64_t count) {
    return e2e::eventually([&] {
      on.of->reload();
      return on.of->metrics().taken.get() == count;
    });
  };
  on.replace(tls_renewal_bench::make_pair());
  CHECK(taken_within(1));
  CHECK(on.contexts == 1);
  on.in.file("key.pem", "nothing");
  CHECK(e2e::eventually([&] {
    on.of->reload();
    return on.of->metrics().refused.get() == 1;
  }));
  on.of->reload();
  CHECK(on.of->metrics().refused.get() == 1);
  CHECK(on.contexts == 1);
  on.replace(tls_renewal_bench::make_pair());
  CHECK(taken_within(2));
  CHECK(on.contexts == 2);
  CHECK(on.of->metrics().first_expiry_s.get() == 1'700'000'000 + 86'400 * 9);
}

} // namespace
} // namespace matchcloud::app
