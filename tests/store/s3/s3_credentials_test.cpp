#include "base/failure.hpp"
#include "store/s3/s3_credentials.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>

namespace matchcloud::store {
namespace {

std::string why_not(std::string_view text, std::string_view profile = "default") {
  const auto read = base::attempt([&] { return read_credentials(text, profile); });
  REQUIRE(!read.has_value());
  CHECK(read.error().code == base::errc::config_invalid);
  return read.error().detail;
}

TEST_CASE("the credentials of a profile are read, whatever else the file has") {
  constexpr std::string_view text = "# written by hand\n"
                                    "\n"
                                    "[other]\n"
                                    "aws_access_key_id = THEIRS\n"
                                    "[ default ]\r\n"
                                    "  aws_access_key_id=MINE\r\n"
                                    "aws_secret_access_key = a=b/c+d \n"
                                    "region = eu-central-1\n"
                                    "; the end";
  const auto mine = read_credentials(text, "default");
  CHECK(mine->access_key_id == "MINE");
  CHECK(mine->secret_access_key.revealed() == "a=b/c+d");
  CHECK(mine->session_token.revealed().empty());
  CHECK(why_not(text, "other") == "profile 'other': the secret access key is missing");
  CHECK(why_not(text, "third") == "it has no profile 'third'");
}

TEST_CASE("a broken line is named by its number and not shown") {
  CHECK(why_not("aws_secret_access_key = hush") == "it has no profile 'default'");
  CHECK(why_not("[default]\nhush") == "line 2 is neither [PROFILE] nor NAME = VALUE");
  CHECK(why_not("[default]\n[hush") == "line 2 is neither [PROFILE] nor NAME = VALUE");
}

TEST_CASE("what cannot be sent in a header is refused and not shown") {
  const auto why = [](const char* id, const char* secret, const char* token) {
    const auto made = base::attempt([&] { return make_credentials(id, secret, token); });
    REQUIRE(!made.has_value());
    return made.error().detail;
  };
  CHECK_FALSE(why("", "b", "").empty());
  CHECK_FALSE(why("a", "", "").empty());
  for (const auto* const bad : {"hu/sh", "hu,sh", "hu sh", "hu\nsh", "hu\x7fsh", "hu\xc3\xa4sh"})
    CHECK(why(bad, "b", "").find("hu") == std::string::npos);
  for (const auto* const bad : {"hu sh", "hu\nsh", "hu\x80sh"}) {
    CHECK(why("a", bad, "").find("hu") == std::string::npos);
    CHECK(why("a", "b", bad).find("hu") == std::string::npos);
  }
}

TEST_CASE("any text is read or refused, and what is read can be sent") {
  CHECK(rc::check([](const std::string& noise) {
    const auto read =
        base::attempt([&] { return read_credentials("[default]\n" + noise, "default"); });
    if (read) RC_ASSERT(!(*read)->access_key_id.empty());
  }));
}

} // namespace
} // namespace matchcloud::store
