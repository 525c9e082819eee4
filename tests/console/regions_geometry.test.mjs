// Places, what a click on the map means, and the order of what was measured.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { bare, citiesNamed, citiesOf } from "../../console/src/panels/regions/cities.js";
import { clustersOf, fannedOut, labelsOf } from "../../console/src/panels/regions/clusters.js";
import { isPingable, measure, measuredOrder, median }
  from "../../console/src/panels/regions/ping.js";
import { parsePlace, placeOf, placeText, stepped, wrapped }
  from "../../console/src/panels/regions/place.js";
import { centered, fitting, isSeen, most_zoom, panned, seenAt, whole, wholeAt, zoomed }
  from "../../console/src/panels/regions/view.js";
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

test("the text of a member is the same as in the reply", () => {
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

test("few pings run at once, they carry nothing, and each region is reported once", async () => {
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

test("cities are found by the beginnings of their words, large ones first", () => {
  const cities = citiesOf({ steps_per_degree: 10, sizes: "5971",
    names: "GB|London|York\nCA|London\nUS|New York", latitudes: [515, 540, 430, 407],
    longitudes: [-1, -11, -813, -740] });
  const found = (text) => citiesNamed(cities, text).map(({ name, code }) => `${name} ${code}`);
  assert.deepEqual(found("lon"), ["London CA", "London GB"]);
  assert.deepEqual(found("York"), ["York GB", "New York US"]);
  assert.deepEqual(found("london, gb"), ["London GB"]);
  assert.deepEqual(found("york united"), ["York GB", "New York US"]);
  assert.deepEqual([found(" "), found("ork")], [[], []]);
  assert.deepEqual(cities[0].place, { latitude: 54, longitude: -1.1 });
  assert.deepEqual(["São Paulo", "Łódź", "Tromsø", "İzmir"].map(bare),
    ["sao paulo", "lodz", "tromso", "izmir"]);
});

test("the map zooms around a point, shows nothing outside itself, and fits regions", () => {
  const size = { width: 600, height: 300 };
  const near = zoomed(whole, 4, [150, 75], size);
  assert.deepEqual(seenAt(near, [150, 75]), [150, 75]);
  assert.deepEqual(wholeAt(near, [150, 75]), [150, 75]);
  assert.deepEqual(zoomed(near, 0.01, [10, 10], size), whole);
  assert.equal(zoomed(near, 1e9, [0, 0], size).k, most_zoom);
  assert.deepEqual(panned(near, 1e5, -1e5, size), { k: 4, x: 0, y: -900 });
  assert.deepEqual(panned(whole, 50, 50, size), whole);
  const fit = fitting([[300, 100], [310, 110]], size);
  for (const point of [[300, 100], [310, 110]]) assert.ok(isSeen(fit, point, size));
  assert.equal(fitting([[300, 100], [300, 100]], size).k, most_zoom);
  assert.equal(isSeen(near, [590, 290], size), false);
  assert.ok(isSeen(centered(near, [500, 250], size), [500, 250], size));
});

test("close marks are a cluster, and are spread around it if no zoom helps", () => {
  const mark = (x, y) => ({ x, y, region: {} });
  const clusters = clustersOf([mark(0, 0), mark(5, 0), mark(100, 0), mark(0, 9)], 10);
  assert.deepEqual(clusters.map(({ members }) => members.length), [3, 1]);
  const fan = fannedOut(clusters[0], 10);
  assert.equal(fan.length, 3);
  for (const one of fan) assert.ok(Math.hypot(one.x, one.y) >= 10);
});

test("labels that would cover another one go left, or away", () => {
  const mark = (x, y, text) => ({ x, y, radius: 4, text });
  const labels = labelsOf([mark(100, 50, "first"), mark(112, 50, "second"), mark(106, 52, "third"),
    mark(300, 50, "edge")], { width: 305, height: 100 });
  assert.deepEqual([...labels].map(([index, { anchor }]) => [index, anchor]),
    [[0, "end"], [1, "start"], [3, "end"]]);
  const pin = { left: 105, right: 120, top: 30, bottom: 60 };
  const [[, { anchor }]] = labelsOf([mark(100, 50, "first")], { width: 305, height: 100 }, [pin]);
  assert.equal(anchor, "end");
});
