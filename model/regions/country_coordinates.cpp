#include "model/regions/country_coordinates.hpp"

#include "model/catalog/catalog.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace matchcloud::model {

namespace {

// zone.tab of the tz database 2025b (public domain, https://www.iana.org/time-zones), to 4 decimals
// of a degree. A country has the coordinates of its first row, which is usually its largest city or
// its capital. If that row is a remote part, its most populous zone is used instead:
//   AU  Sydney, not Lord Howe Island, 600 km out in the sea
//   BR  Sao Paulo, not Fernando de Noronha, an archipelago 350 km off the coast
//   CA  Toronto, not Saint John's, the eastern end of Newfoundland
//   RU  Moscow, not Kaliningrad, an exclave on the Baltic Sea
//   UA  Kyiv, not Simferopol, a row about Crimea only
// `test_model "[.countries]"` prints the table from the zone.tab of this machine.
constexpr std::string_view table = R"(AD 42.5 1.5167
AE 25.3 55.3
AF 34.5167 69.2
AG 17.05 -61.8
AI 18.2 -63.0667
AL 41.3333 19.8333
AM 40.1833 44.5
AO -8.8 13.2333
AQ -77.8333 166.6
AR -34.6 -58.45
AS -14.2667 -170.7
AT 48.2167 16.3333
AU -33.8667 151.2167
AW 12.5 -69.9667
AX 60.1 19.95
AZ 40.3833 49.85
BA 43.8667 18.4167
BB 13.1 -59.6167
BD 23.7167 90.4167
BE 50.8333 4.3333
BF 12.3667 -1.5167
BG 42.6833 23.3167
BH 26.3833 50.5833
BI -3.3833 29.3667
BJ 6.4833 2.6167
BL 17.8833 -62.85
BM 32.2833 -64.7667
BN 4.9333 114.9167
BO -16.5 -68.15
BQ 12.1508 -68.2767
BR -23.5333 -46.6167
BS 25.0833 -77.35
BT 27.4667 89.65
BW -24.65 25.9167
BY 53.9 27.5667
BZ 17.5 -88.2
CA 43.65 -79.3833
CC -12.1667 96.9167
CD -4.3 15.3
CF 4.3667 18.5833
CG -4.2667 15.2833
CH 47.3833 8.5333
CI 5.3167 -4.0333
CK -21.2333 -159.7667
CL -33.45 -70.6667
CM 4.05 9.7
CN 31.2333 121.4667
CO 4.6 -74.0833
CR 9.9333 -84.0833
CU 23.1333 -82.3667
CV 14.9167 -23.5167
CW 12.1833 -69
CX -10.4167 105.7167
CY 35.1667 33.3667
CZ 50.0833 14.4333
DE 52.5 13.3667
DJ 11.6 43.15
DK 55.6667 12.5833
DM 15.3 -61.4
DO 18.4667 -69.9
DZ 36.7833 3.05
EC -2.1667 -79.8333
EE 59.4167 24.75
EG 30.05 31.25
EH 27.15 -13.2
ER 15.3333 38.8833
ES 40.4 -3.6833
ET 9.0333 38.7
FI 60.1667 24.9667
FJ -18.1333 178.4167
FK -51.7 -57.85
FM 7.4167 151.7833
FO 62.0167 -6.7667
FR 48.8667 2.3333
GA 0.3833 9.45
GB 51.5083 -0.1253
GD 12.05 -61.75
GE 41.7167 44.8167
GF 4.9333 -52.3333
GG 49.4547 -2.5361
GH 5.55 -0.2167
GI 36.1333 -5.35
GL 64.1833 -51.7333
GM 13.4667 -16.65
GN 9.5167 -13.7167
GP 16.2333 -61.5333
GQ 3.75 8.7833
GR 37.9667 23.7167
GS -54.2667 -36.5333
GT 14.6333 -90.5167
GU 13.4667 144.75
GW 11.85 -15.5833
GY 6.8 -58.1667
HK 22.2833 114.15
HN 14.1 -87.2167
HR 45.8 15.9667
HT 18.5333 -72.3333
HU 47.5 19.0833
ID -6.1667 106.8
IE 53.3333 -6.25
IL 31.7806 35.2239
IM 54.15 -4.4667
IN 22.5333 88.3667
IO -7.3333 72.4167
IQ 33.35 44.4167
IR 35.6667 51.4333
IS 64.15 -21.85
IT 41.9 12.4833
JE 49.1836 -2.1067
JM 17.9681 -76.7933
JO 31.95 35.9333
JP 35.6544 139.7447
KE -1.2833 36.8167
KG 42.9 74.6
KH 11.55 104.9167
KI 1.4167 173
KM -11.6833 43.2667
KN 17.3 -62.7167
KP 39.0167 125.75
KR 37.55 126.9667
KW 29.3333 47.9833
KY 19.3 -81.3833
KZ 43.25 76.95
LA 17.9667 102.6
LB 33.8833 35.5
LC 14.0167 -61
LI 47.15 9.5167
LK 6.9333 79.85
LR 6.3 -10.7833
LS -29.4667 27.5
LT 54.6833 25.3167
LU 49.6 6.15
LV 56.95 24.1
LY 32.9 13.1833
MA 33.65 -7.5833
MC 43.7 7.3833
MD 47 28.8333
ME 42.4333 19.2667
MF 18.0667 -63.0833
MG -18.9167 47.5167
MH 7.15 171.2
MK 41.9833 21.4333
ML 12.65 -8
MM 16.7833 96.1667
MN 47.9167 106.8833
MO 22.1972 113.5417
MP 15.2 145.75
MQ 14.6 -61.0833
MR 18.1 -15.95
MS 16.7167 -62.2167
MT 35.9 14.5167
MU -20.1667 57.5
MV 4.1667 73.5
MW -15.7833 35
MX 19.4 -99.15
MY 3.1667 101.7
MZ -25.9667 32.5833
NA -22.5667 17.1
NC -22.2667 166.45
NE 13.5167 2.1167
NF -29.05 167.9667
NG 6.45 3.4
NI 12.15 -86.2833
NL 52.3667 4.9
NO 59.9167 10.75
NP 27.7167 85.3167
NR -0.5167 166.9167
NU -19.0167 -169.9167
NZ -36.8667 174.7667
OM 23.6 58.5833
PA 8.9667 -79.5333
PE -12.05 -77.05
PF -17.5333 -149.5667
PG -9.5 147.1667
PH 14.5867 120.9678
PK 24.8667 67.05
PL 52.25 21
PM 47.05 -56.3333
PN -25.0667 -130.0833
PR 18.4683 -66.1061
PS 31.5 34.4667
PT 38.7167 -9.1333
PW 7.3333 134.4833
PY -25.2667 -57.6667
QA 25.2833 51.5333
RE -20.8667 55.4667
RO 44.4333 26.1
RS 44.8333 20.5
RU 55.7558 37.6178
RW -1.95 30.0667
SA 24.6333 46.7167
SB -9.5333 160.2
SC -4.6667 55.4667
SD 15.6 32.5333
SE 59.3333 18.05
SG 1.2833 103.85
SH -15.9167 -5.7
SI 46.05 14.5167
SJ 78 16
SK 48.15 17.1167
SL 8.5 -13.25
SM 43.9167 12.4667
SN 14.6667 -17.4333
SO 2.0667 45.3667
SR 5.8333 -55.1667
SS 4.85 31.6167
ST 0.3333 6.7333
SV 13.7 -89.2
SX 18.0514 -63.0472
SY 33.5 36.3
SZ -26.3 31.1
TC 21.4667 -71.1333
TD 12.1167 15.05
TF -49.3528 70.2175
TG 6.1333 1.2167
TH 13.75 100.5167
TJ 38.5833 68.8
TK -9.3667 -171.2333
TL -8.55 125.5833
TM 37.95 58.3833
TN 36.8 10.1833
TO -21.1333 -175.2
TR 41.0167 28.9667
TT 10.65 -61.5167
TV -8.5167 179.2167
TW 25.05 121.5
TZ -6.8 39.2833
UA 50.4333 30.5167
UG 0.3167 32.4167
UM 28.2167 -177.3667
US 40.7142 -74.0064
UY -34.9092 -56.2125
UZ 39.6667 66.8
VA 41.9022 12.4531
VC 13.15 -61.2333
VE 10.5 -66.9333
VG 18.45 -64.6167
VI 18.35 -64.9333
VN 10.75 106.6667
VU -17.6667 168.4167
WF -13.3 -176.1667
WS -13.8333 -171.7333
YE 12.75 45.2
YT -12.7833 45.2333
ZA -26.25 28
ZM -15.4167 28.2833
ZW -17.8333 31.05
)";

std::vector<country_place> read_table() {
  std::vector<country_place> all;
  for (auto rest = table; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const auto latitude = line.find(' ') + 1;
    const auto longitude = line.rfind(' ') + 1;
    const auto at =
        parse_coordinates(line.substr(latitude, longitude - 1 - latitude), line.substr(longitude));
    all.push_back({line.substr(0, latitude - 1), at.value()});
  }
  return all;
}

constexpr char to_upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

} // namespace

std::span<const country_place> country_places() noexcept {
  static const auto places = read_table();
  return places;
}

const country_place* find_country(std::string_view code) noexcept {
  if (code.size() != 2) return nullptr;
  const std::array<char, 2> upper{to_upper(code[0]), to_upper(code[1])};
  std::string_view wanted{upper.data(), upper.size()};
  if (wanted == "UK") wanted = "GB";
  if (wanted == "EL") wanted = "GR";
  const auto places = country_places();
  const auto found = std::ranges::lower_bound(places, wanted, {}, &country_place::code);
  return found != places.end() && found->code == wanted ? &*found : nullptr;
}

} // namespace matchcloud::model
