'use strict';
// The listing of regions as a Node.js author would write it, for script/bench regions: Fastify,
// maxmind for the look-up, geographiclib-geodesic for distances, and a cache of replies by place.
//
//   node server.js GEOIP.mmdb REGIONS.json [uncached]
//
// listens on a port that the kernel chooses, and prints it. With `uncached`, it ranks for each
// request. REGIONS.json: [{"region_id", "region_display_name", "provider_display_name",
// "datacenter_coord"}].
// The client is the right-most address of X-Forwarded-For that is not a trusted proxy. Loopback
// addresses are trusted proxies.

const fs = require('node:fs');
const maxmind = require('maxmind');
const { Geodesic } = require('geographiclib-geodesic');
const { LRUCache } = require('lru-cache');

// Four times the default of matchcloud's own cache, for whole replies. 100,000 random addresses
// have some 22,000 locations, which all fit with a dozen regions.
const CACHE_LIMIT_BYTES = 256 * 1024 * 1024;
const LOOKUP_CACHE_ENTRIES = 100_000;
const METRES_PER_MILE = 1609.344;

const rounded = (value) => Math.round(value * 1000) / 1000;

function distance(location, { latitude, longitude }) {
  if (location === undefined) return 0;
  return Geodesic.WGS84.Inverse(location.latitude, location.longitude, latitude, longitude,
    Geodesic.DISTANCE).s12;
}

function render(regions, location) {
  const ranked = regions.map((region) => (
    { region, metres: distance(location, region.datacenter_coord) }));
  ranked.sort((a, b) => a.metres - b.metres || (a.region.region_id < b.region.region_id ? -1 : 1));
  return Buffer.from(JSON.stringify({
    regions: ranked.map(({ region, metres }) => ({
      ...region,
      datacenter_distance_from_client: {
        kilometers: rounded(metres / 1000),
        miles: rounded(metres / METRES_PER_MILE),
      },
    })),
  }));
}

/// From GeoIP2's nested and DB-IP's flat records; undefined if they have no location.
function locationOf(record) {
  const at = record?.location ?? record;
  return Number.isFinite(at?.latitude) && Number.isFinite(at?.longitude) ? at : undefined;
}

async function main() {
  const [geoipFile, regionsFile, uncached] = process.argv.slice(2);
  const geoip = await maxmind.open(geoipFile, { cache: { max: LOOKUP_CACHE_ENTRIES } });
  const regions = JSON.parse(fs.readFileSync(regionsFile, 'utf8'));
  const replies = new LRUCache({
    maxSize: CACHE_LIMIT_BYTES,
    sizeCalculation: (body) => body.length,
  });

  const app = require('fastify')({ trustProxy: 'loopback', logger: false });
  app.get('/matchmaker/regions', (request, reply) => {
    const location = locationOf(geoip.get(request.ip));
    const key = location ? `${location.latitude},${location.longitude}` : '';
    let body = uncached ? undefined : replies.get(key);
    if (body === undefined) {
      body = render(regions, location);
      if (!uncached) replies.set(key, body);
    }
    reply.header('content-type', 'application/json').header('access-control-allow-origin', '*')
      .send(body);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  console.log(`listening on ${url}`);
}

main().catch((error) => {
  console.error(`fastify: ${error.message}`);
  process.exitCode = 1;
});
