#include "http/wire/request.hpp"

#include "tests/catch.hpp"

namespace matchcloud::http {
namespace {

TEST_CASE("gzip is taken by name or by a star, with a weight above nothing") {
  for (const auto* value :
       {"gzip", "GZip", "x-gzip", "gzip, deflate, br", "deflate , gzip", "gzip;q=1", "gzip;q=0.001",
        "gzip ; q=0.5", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "identity;q=0, *", "*;q=0, gzip",
        ",,gzip", "br,,gzip,,", "br, ,*,", "gzip;Q=1.000"}) {
    CAPTURE(value);
    CHECK(accepts_gzip(value));
  }
}

TEST_CASE("gzip is not taken where it is absent, weighs nothing or cannot be read") {
  for (const auto* value : {"",
                            "identity",
                            "deflate, br",
                            "gzip;q=0",
                            "gzip;q=0.000",
                            "gzip;q=0, *",
                            "*;q=0",
                            "gzipped",
                            "gzip;q=1.001",
                            "gzip;q=2",
                            "gzip;q=",
                            "gzip;q=0.1234",
                            "gzip;level=9",
                            "gzip;q",
                            "gzip;q=-1",
                            "gzip;q=1x",
                            "\"gzip\"",
                            ",",
                            ", ,",
                            "br,,"}) {
    CAPTURE(value);
    CHECK(!accepts_gzip(value));
  }
}

TEST_CASE("a request says whether its client takes gzip, and afresh after it was cleared") {
  request from;
  from.set(header::accept_encoding, "gzip");
  CHECK(accepts_gzip(from));
  CHECK(accepts_gzip(from));
  from.clear(0);
  CHECK(!accepts_gzip(from));
}

} // namespace
} // namespace matchcloud::http
