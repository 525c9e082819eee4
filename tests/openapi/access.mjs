// Provocations by tokens: those that a request lacks, and those that are not good for it.
import fs from 'node:fs';
import { operations } from './document.mjs';
import { command, demoStore, newFolder } from './service.mjs';
import { operation } from './world.mjs';

const kinds = ['admin', 'viewer', 'metrics', 'game', 'studio', 'player'];
const game = '00000000-0000-4000-8000-000000000001';
const namespace = '00000000-0000-4000-8000-000000000011';
const scopes = { game: { game_id: game }, player: { namespace_id: namespace } };
const bearer = (text) => ({ Authorization: `Bearer ${text}` });

/** Makes a token of a kind by the ops plane; its text and id. */
async function newToken(world, kind, more = {}) {
  const body = JSON.stringify({ kind, name: 'a test', ...scopes[kind], ...more });
  const answer = await world.ask(operation('ops', 'create_token'), { body });
  if (answer.status !== 201) throw new Error(`no token: ${answer.text}`);
  return answer.json;
}

/** Asks for the tokens until they are as `wanted` says, with the token of an administrator. */
async function untilListed(world, wanted) {
  for (;;) {
    const answer = await world.ask(operation('ops', 'list_tokens'));
    if (answer.status === 200 && wanted(answer.json.tokens)) return;
  }
}

const sends = (choose) => (of, world) => world.ask(of, { headers: choose(world, of) });

/** Flags of a service that wants a token for whatever needs one. */
export const wantsTokens = ['--auth', 'required', '--ops-auth', 'required',
  '--anonymous-regions=false'];

/** Makes the first token, an administrator's; its text. */
export const firstToken = (...store) =>
  command('token', 'create', ...store, '--kind', 'admin', '--name', 'first').trim();

/** Makes a token of each kind, with which the world then asks; all, by kind. */
export async function useTokens(world, admin) {
  const tokens = { admin };
  world.headersFor = (of) => {
    const kind = of.tokenKinds.find((each) => each in tokens);
    return kind ? bearer(tokens[kind]) : {};
  };
  for (const kind of kinds.slice(1)) tokens[kind] = (await newToken(world, kind)).token;
  // A store may be slow to tell of tokens.
  for (const kind of kinds) {
    const [of] = operations.filter(({ method, tokenKinds }) =>
      method === 'GET' && tokenKinds.includes(kind))
      .sort((one, other) => one.tokenKinds.length - other.tokenKinds.length);
    const asked = { headers: bearer(tokens[kind]) };
    while ((await world.ask(of, asked)).code === 'token_unknown') await new Promise(setImmediate);
  }
  return tokens;
}

/** A service that wants a token for whatever needs one. */
export const guarded = {
  name: 'tokens that are required',
  flags: wantsTokens,
  atOnce: 8,
  async options() {
    const dataDir = demoStore();
    this.admin = firstToken('--data-dir', dataDir);
    const elsewhere = newFolder('elsewhere');
    command('demo', '--data-dir', elsewhere);
    this.unknown = firstToken('--data-dir', elsewhere);
    fs.rmSync(elsewhere, { recursive: true });
    return { dataDir };
  },
  async prepare(world) {
    const tokens = await useTokens(world, this.admin);
    const expired = await newToken(world, 'viewer', { expires_in_s: 1 });
    const revoked = await newToken(world, 'viewer');
    await world.ask(operation('ops', 'revoke_token'),
      { parameters: { token_id: revoked.token_id } });
    await untilListed(world, (all) =>
      all.find((each) => each.token_id === expired.token_id).state === 'expired');
    world.tokens = { ...tokens, expired: expired.token, revoked: revoked.token };
    world.tokens.unknown = this.unknown;
    await world.exported();
  },
  codes: {
    token_missing: sends(() => ({ Authorization: undefined })),
    token_malformed: sends(() => bearer('mc_none')),
    token_unknown: sends((world) => bearer(world.tokens.unknown)),
    token_expired: sends((world) => bearer(world.tokens.expired)),
    token_revoked: sends((world) => bearer(world.tokens.revoked)),
    not_permitted: sends((world, of) =>
      bearer(world.tokens[kinds.find((kind) => !of.tokenKinds.includes(kind))])),
  },
};
