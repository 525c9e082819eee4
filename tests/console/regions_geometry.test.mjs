// Places, what a click on the map means, and the order of what was measured.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { isPingable, measure, measuredOrder, median }
  from "../../console/src/panels/regions/ping.js";
import { parsePlace, placeOf, placeText, stepped, wrapped }
  from "../../console/src/panels/regions/place.js";
import { rawMember } from "../../console/src/panels/regions/raw_member.js";

test("an address or coordinates are what was typed, and anything else says what to type", () => {
  assert.deepEqual(parsePlace(" 81.2.69.142 "), { address: "81.2.69.142" });
  assert.deepEqual(parsePlace("2001:db8::1"), { address: "2001:db8::1" });
  assert.deepEqual(parsePlace("51.5, -0.12"), { place: { latitude: 51.5, longitude: -0.12 } });
  assert.deepEqual(parsePlace("51 12"), { place: { latitude: 51, longitude: 12 } });
  assert.match(parsePlace("91, 0").wrong, /latitude/);
  assert.match(parsePlace("0, 181").wrong, /longitude/);
  for (const text of ["", "London", "12", "81.2.69.142; rm", "<b>"]) {
    assert.match(parsePlace(text).wrong, /^Type an address/, text);
  }
});

test("longitudes go around the globe, latitudes end at the poles", () => {
  assert.deepEqual([190, -190, 180, -180, 540, 0].map(wrapped), [-170, 170, 180, -180, 180, 0]);
  assert.deepEqual(placeOf(95, 0), { latitude: 90, longitude: 0 });
  assert.deepEqual(stepped({ latitude: 89, longitude: 178 }, "ArrowRight", 5),
    { latitude: 89, longitude: -177 });
  assert.deepEqual(stepped({ latitude: 89, longitude: 0 }, "ArrowUp", 5),
    { latitude: 90, longitude: 0 });
  assert.equal(stepped({ latitude: 0, longitude: 0 }, "a", 5), null);
  assert.equal(placeText({ latitude: -33.44891, longitude: 0 }), "33.4489° S, 0° E");
});

test("the text of a member is as it stands in the reply", () => {
  const listing = '{ "regions":[{"a":"}]\\"{"},[1,2.50]], "n": -0}';
  const text = `{"place":null,"source":"list\\"ing","listing":${listing} }`;
  assert.equal(rawMember(text, "listing"), listing);
  assert.equal(rawMember(text, "place"), "null");
  assert.equal(rawMember(text, "source"), '"list\\"ing"');
  assert.equal(rawMember(text, "other"), null);
  assert.equal(rawMember("", "listing"), null);
});

test("only https, and this machine, are pinged", () => {
  const good = ["https://lon.example.com/ping", "http://127.0.0.1:8080/ping", "http://localhost/",
    "http://[::1]:1/"];
  const bad = ["http://lon.example.com/", "https://u:p@lon.example.com/", "javascript:alert(1)", "",
    undefined, "ftp://127.0.0.1/", "http://127.0.0.1.example.com/"];
  assert.deepEqual(good.filter((url) => !isPingable(url)), []);
  assert.deepEqual(bad.filter(isPingable), []);
});

test("the median and the order leave failures out", () => {
  assert.deepEqual([median([]), median([3, 1, 2]), median([4, 1, 2, 3])], [null, 2, 2.5]);
  const order = measuredOrder(new Map([["a", { ms: 9 }], ["b", { ms: null }], ["c", { ms: 2 }]]));
  assert.deepEqual([...order], [["c", 1], ["a", 2]]);
});

test("pings are few at once, carry nothing, and each region is told once", async () => {
  let now = 0;
  let most = 0;
  const seen = [];
  const server = createServer((incoming, answer) => {
    most = Math.max(most, ++now);
    seen.push(incoming.headers);
    setImmediate(() => {
      --now;
      answer.writeHead(incoming.url === "/broken" ? 500 : 204).end();
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const regions = Array.from({ length: 8 }, (_, index) =>
    ({ region_id: `r${index}`, ping_url: `${origin}${index === 3 ? "/broken" : "/ping"}` }));
  regions.push({ region_id: "none" }, { region_id: "far", ping_url: "http://example.com/" });
  const told = new Map();
  await measure(regions, (id, result) => {
    assert.ok(!told.has(id));
    told.set(id, result.ms);
  }, new AbortController().signal);
  server.closeAllConnections();
  server.close();
  assert.deepEqual([...told.keys()].sort(), ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"]);
  assert.equal(told.get("r3"), null);
  assert.ok(told.get("r0") > 0);
  assert.ok(most <= 3, `${most} at once`);
  assert.equal(seen.length, 7 * 6 + 1);
  assert.deepEqual(seen.filter((head) => head.authorization || head.cookie || head.referer), []);
});
