'use strict';
// The validation of groups and game versions as a Node.js author would write it, for script/bench
// validate: JSON schemas that ajv compiles through Fastify, whose errors are listed in a 200.
//
//   node validate.js REGION,REGION..
//
// listens on a port that the kernel chooses, and prints it. It looks for all errors, as matchcloud
// does. Rules that JSON Schema cannot express are missing, so they cost nothing here: that ports,
// ranges and globs do not overlap earlier ones, which environment names the service sets itself,
// that the hosts of URLs are public, and suggestions.

const TIERS = ['basic-4d1', 'basic-2d1', 'basic-1d1', 'basic-1d2', 'basic-1d4', 'basic-1d8',
  'basic-1d16'];
const UNSIGNED_32 = { type: 'integer', minimum: 0, maximum: 0xffffffff };
const HEADER_NAME = '^[!#$%&\'*+.^_`|~0-9A-Za-z-]{1,512}$';
const HEADER_VALUE = { type: 'string', maxLength: 1024, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' };
const RESERVED_HEADER = '^(?!(?:[Hh][Oo][Ss][Tt]|[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Ll][Ee][Nn][Gg][Tt]'
  + '[Hh]|[Tt][Rr][Aa][Nn][Ss][Ff][Ee][Rr]-[Ee][Nn][Cc][Oo][Dd][Ii][Nn][Gg]'
  + '|[Cc][Oo][Nn][Nn][Ee][Cc][Tt][Ii][Oo][Nn])$)';

/// An object with no other members. An optional member may be null instead of absent.
function object(required, optional = {}, more = {}) {
  const nullable = Object.entries(optional).map(([name, of]) => (
    [name, of.type && !of.enum ? { ...of, nullable: true } : of]));
  return {
    type: 'object',
    properties: { ...required, ...Object.fromEntries(nullable) },
    required: Object.keys(required),
    additionalProperties: false,
    ...more,
  };
}

const oneOf = (...values) => ({ enum: [...values, null] });
const text = (more = {}) => ({ type: 'string', ...more });
const map = (of, more = {}) => ({ type: 'object', additionalProperties: of, ...more });
const named = (pattern) => ({ propertyNames: { pattern } });
const number = (minimum, maximum) => ({ type: 'integer', minimum, maximum });
const any = { type: 'object' };

function displayName(longest) {
  return text({
    minLength: 1, maxLength: longest,
    pattern: '^(?:[^\\p{Cc}\\p{Cf}\\p{Z}]|(?<!^) (?! |$))*$',
  });
}

/// `min` and `max`, with `min` at most `max`.
const bounds = (min, max) => object({
  min: { ...min, allOf: [{ maximum: { $data: '1/max' } }] }, max });
const idleLobbies = bounds(number(0, 16), number(0, 32));

const port = object({}, {
  port: number(1, 65535),
  port_range: bounds(UNSIGNED_32, UNSIGNED_32),
  protocol: oneOf('http', 'https', 'tcp', 'tcp_tls', 'udp'),
  proxy: oneOf('gateway', 'none'),
  dev_port: { type: 'integer' },
  dev_port_range: object({ min: UNSIGNED_32, max: UNSIGNED_32 }),
  dev_protocol: text(),
}, {
  // By default, a port is behind the gateway, which has no ranges.
  if: { properties: { proxy: { const: 'none' } }, required: ['proxy'] },
  then: {
    properties: {
      protocol: { enum: ['tcp', 'udp'] },
      port_range: { properties: { min: { minimum: 26000 }, max: { maximum: 31999 } } },
      port: { type: 'null' },
    },
    required: ['protocol', 'port_range'],
  },
  else: { properties: { port_range: { type: 'null' } }, required: ['port'] },
});

const runtime = object({}, {
  args: { type: 'array', maxItems: 64, items: text({ maxLength: 512 }) },
  env: map(text({ maxLength: 512 }), {
    maxProperties: 64, ...named('^[A-Za-z_][A-Za-z0-9_]{0,63}$') }),
  image_id: text({ minLength: 1 }),
  image: text(),
  dockerfile: text(),
  build_args: map(text()),
  network_mode: oneOf('bridge', 'host'),
  ports: map(port, { maxProperties: 16, ...named('^(?!.*--)(?!-)[a-z0-9-]{1,16}(?<!-)$') }),
}, {
  // Ports without the gateway need the host's network.
  if: { properties: { network_mode: { const: 'host' } }, required: ['network_mode'] },
  else: { properties: { ports: { additionalProperties: {
    properties: { proxy: { enum: ['gateway', null] } } } } } },
});

const verification = object({
  url: text({ maxLength: 2048, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@]+(?:[/?#]\\S*)?$' }),
  headers: map(HEADER_VALUE, {
    maxProperties: 32,
    propertyNames: { allOf: [{ pattern: HEADER_NAME }, { pattern: RESERVED_HEADER }] },
  }),
});

const connecting = object({ enabled: { type: 'boolean' } }, { verification });

function shared(regions) {
  const players = number(1, 256);
  const region = object({}, { idle_lobbies: idleLobbies, tier: oneOf(...TIERS) });
  return {
    tier: oneOf(...TIERS),
    max_players: players,
    max_players_direct: players,
    max_players_party: players,
    idle_lobbies: idleLobbies,
    regions: map(region, { maxProperties: 64, propertyNames: { enum: regions } }),
    docker: runtime,
    container_runtime: runtime,
  };
}

function matchmaker(regions) {
  const mode = object({}, {
    ...shared(regions),
    actions: object({}, {
      create: object({ enabled: { type: 'boolean' } }, {
        enable_private: { type: 'boolean' }, enable_public: { type: 'boolean' }, verification }),
      find: connecting,
      join: connecting,
    }),
    allow_dynamic_max_players: { type: 'boolean' },
    listable: { type: 'boolean' },
    taggable: { type: 'boolean' },
  });
  const key = text({ minLength: 1, maxLength: 128 });
  const keys = object({ secret_key: key, site_key: key });
  const providers = ['captcha_provider_a', 'captcha_provider_b', 'hcaptcha', 'turnstile'];
  return object({}, {
    ...shared(regions),
    dev_hostname: text(),
    captcha: object({
      requests_before_reverify: number(0, 600), verification_ttl: number(0, 43_200_000),
    }, {
      ...Object.fromEntries(providers.map((name) => [name, keys])),
    }, { anyOf: providers.map((name) => ({ required: [name] })) }),
    game_modes: map(mode, {
      maxProperties: 32, ...named('^(?!-)[A-Za-z0-9_-]{1,64}(?<!-)$') }),
  });
}

function version(regions) {
  const headers = {
    type: 'array', maxItems: 32,
    items: object({ name: text({ pattern: HEADER_NAME }), value: HEADER_VALUE }),
  };
  const route = object({
    glob: text({ pattern: '^(?:\\*\\*|[^/*]*(?:\\*[^/*]+)*\\*?)'
      + '(?:/(?:\\*\\*|[^/*]*(?:\\*[^/*]+)*\\*?))*$', minLength: 1 }),
    priority: number(0, 100),
    middlewares: {
      type: 'array', maxItems: 32,
      items: object({ kind: object({ custom_headers: object({ headers }) }) }),
    },
  });
  const module = object({ game_module: text({ minLength: 1 }) });
  return object({
    display_name: displayName(128),
    config: object({}, {
      cdn: object({}, {
        build_command: text(),
        build_env: map(text()),
        build_output: text(),
        site_id: text({ minLength: 1 }),
        routes: { type: 'array', maxItems: 32, items: route },
      }),
      engine: object({}, {
        custom: any, engine_a: any, engine_b: any, engine_c: any,
        engine_d: module, unity: any, godot: any, html5: any, unreal: module,
      }),
      kv: any,
      scripts: map(text(), { maxProperties: 128, propertyNames: { minLength: 1, maxLength: 128 } }),
      matchmaker: matchmaker(regions),
    }),
  });
}

const group = {
  type: 'object', properties: { display_name: displayName(24) }, required: ['display_name'],
};

const reply = { 200: {
  type: 'object',
  properties: { errors: { type: 'array', items: {
    type: 'object',
    properties: {
      path: { type: 'array', items: { type: 'string' } },
      code: { type: 'string' },
      message: { type: 'string' },
    },
  } } },
} };

/// An error, with its path from the body.
function finding({ instancePath, keyword, params, message }) {
  const path = instancePath.split('/').slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = params.missingProperty ?? params.additionalProperty ?? params.propertyName;
  if (last !== undefined) path.push(last);
  return { path, code: keyword, message };
}

function validate(request, answer) {
  const errors = request.validationError?.validation ?? [];
  answer.header('access-control-allow-origin', '*').send({ errors: errors.map(finding) });
}

async function main() {
  const regions = process.argv[2].split(',');
  const app = require('fastify')({
    logger: false,
    // By default, Fastify corrects wrong values and stops at the first error.
    ajv: { customOptions: {
      allErrors: true, removeAdditional: false, useDefaults: false, coerceTypes: false,
      $data: true, allowUnionTypes: true, strictTypes: false,
    } },
  });
  const route = (body) => ({ schema: { body, response: reply }, attachValidation: true });
  app.post('/cloud/groups/validate', route(group), validate);
  app.post('/cloud/games/:game_id/versions/validate', route(version(regions)), validate);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  console.log(`listening on ${url}`);
}

main().catch((error) => {
  console.error(`fastify: ${error.message}`);
  process.exitCode = 1;
});
