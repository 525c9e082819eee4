// The existing client of the interface against the service: what it gives its callers of each
// operation, errors included. script/test client runs this, with the service's URL in
// MATCHCLOUD_SERVER.
import assert from 'node:assert/strict';
import test from 'node:test';
import api from '@rivet-gg/api';

const { Rivet, RivetClient, RivetError } = api;
const demoGame = '00000000-0000-4000-8000-000000000001';
const unknownGame = '00000000-0000-4000-8000-0000000000ff';
const span = { queryStart: Date.UTC(2026, 0, 2), queryEnd: Date.UTC(2026, 0, 3) };
const version = (matchmaker, more = {}) =>
  ({ displayName: 'v1', config: { matchmaker: { maxPlayers: 8, ...matchmaker }, ...more } });

/** That `call` is refused, and its caller gets all that the service said of it. */
async function refused(call, { status, code, type = RivetError, says = /./ }) {
  const caught = await call.then(() => assert.fail('was not refused'), (error) => error);
  assert.ok(caught instanceof type, `${caught?.name}: ${JSON.stringify(caught)}`);
  assert.equal(caught.statusCode, status);
  assert.equal(caught.body.code, code);
  assert.match(caught.body.message, says);
  assert.equal(caught.body.message, caught.body.detail);
  assert.match(caught.body.request_id, /./);
}

const findings = ({ errors }) => errors.map(({ code, path }) => `${code} ${path.join('.')}`);

/** A lone surrogate: the client sends it, and no JSON text has it (RFC 8259 section 8.2). */
const notUnicode = '\ud800';
const malformed = {
  status: 400, code: 'body_malformed', type: Rivet.BadRequestError, says: /line 1/,
};

const client = new RivetClient({ environment: process.env.MATCHCLOUD_SERVER, token: 'a-token' });
const { games, groups } = client.cloud;

test('regions come nearest first', async () => {
  const { regions } = await client.matchmaker.regions.list();
  const distances = regions.map((region) => region.datacenterDistanceFromClient.kilometers);
  assert.equal(regions.length, 12);
  assert.equal(regions[0].regionId, 'lon');
  assert.deepEqual(distances, [...distances].sort((a, b) => a - b));
});

test('avatars have times, lengths and, where they are complete, URLs', async () => {
  const { customAvatars } = await games.avatars.listGameCustomAvatars(demoGame);
  assert.equal(customAvatars.length, 5);
  for (const avatar of customAvatars) {
    assert.ok(avatar.createTs instanceof Date);
    assert.equal(typeof avatar.contentLength, 'number');
    assert.equal(typeof avatar.url, avatar.complete ? 'string' : 'undefined');
  }
});

test('an export is a URL of a CSV file', async () => {
  const { url: file } = await games.matchmaker.exportMatchmakerLobbyHistory(demoGame, span);
  const download = await fetch(file);
  assert.equal(download.status, 200);
  assert.match(await download.text(), /^lobby_id,/);
});

test('sound names and versions have no findings', async () => {
  const port = { port: 7777, protocol: 'udp' };
  const docker = { imageId: 'an-image', ports: { game: port } };
  assert.deepEqual(findings(await groups.validate({ displayName: 'Raiders' })), []);
  assert.deepEqual(
    findings(await games.games.validateGame({ displayName: 'A game', nameId: 'a-game' })), []);
  assert.deepEqual(findings(await games.versions.validateGameVersion(
    demoGame, version({ gameModes: { duel: { docker } } }, { engine: { unity: {} } }))), []);
});

test('findings say where they are', async () => {
  assert.deepEqual(findings(await groups.validate({ displayName: '' })),
    ['too-short display_name']);
  assert.deepEqual(
    findings(await games.games.validateGame({ displayName: ' a', nameId: 'a' })),
    ['invalid display_name']);
  assert.deepEqual(findings(await games.versions.validateGameVersion(
    demoGame, version({ idleLobbies: { min: 3, max: 1 } }))),
  ['min-gt-max config.matchmaker.idle_lobbies.min']);
});

test('a game that is unknown is not found', async () => {
  const missing = { status: 404, code: 'game_not_found', type: Rivet.NotFoundError,
    says: new RegExp(unknownGame) };
  await refused(games.avatars.listGameCustomAvatars(unknownGame), missing);
  await refused(games.matchmaker.exportMatchmakerLobbyHistory(unknownGame, span), missing);
});

test('a body that is no JSON is refused', async () => {
  await refused(groups.validate({ displayName: notUnicode }), malformed);
  await refused(games.games.validateGame({ displayName: notUnicode, nameId: 'a' }), malformed);
  await refused(games.versions.validateGameVersion(
    demoGame, { ...version({}), displayName: notUnicode }), malformed);
});

const exported = (query) => games.matchmaker.exportMatchmakerLobbyHistory(demoGame, query);
const badQuery = (says) =>
  ({ status: 400, code: 'query_invalid', type: Rivet.BadRequestError, says });

test('bounds of a span that are missing or no integers are refused', async () => {
  // What JSON cannot say becomes null.
  await refused(exported({ ...span, queryStart: NaN }), badQuery(/query_start/));
  await refused(exported({ queryStart: NaN, queryEnd: NaN }), badQuery(/query_end/));
  await refused(exported({ ...span, queryStart: -1 }), badQuery(/query_start/));
  await refused(exported({ ...span, queryEnd: 0.5 }), badQuery(/query_end/));
});
