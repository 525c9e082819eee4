// Provocations by injected faults: by scenario, then by code.
import { once } from 'node:events';
import { untilHit } from './limits.mjs';
import { operation } from './world.mjs';

/** Where a request passes on its way, by any operation; each passes at most some of them. */
const points = ['front.dispatch', 'administration.receive', 'ingestion.receive'];
const chosen = { 'X-Fault': points.join(', ') };

/** What injects faults passes none, and would take them away. */
const passes = (of) => !of.path.startsWith('/faults');

/** Injects a rule at a point. */
export async function inject(world, point, rule) {
  const answer = await world.ask(operation('ops', 'put_fault'),
    { parameters: { point }, body: JSON.stringify(rule) });
  if (answer.status !== 200) throw new Error(`no fault: ${answer.text}`);
}

/** Ends all faults. */
export const heal = (world) => world.ask(operation('ops', 'clear_faults'));

const prepareFor = (...what) => async (world) => {
  await world.settle();
  for (const [point, rule] of what) await inject(world, point, rule);
};

const everywhere = (kind) => points.map((point) => [point, { kind, header: true }]);

/** What answers a request fails. */
export const failing = {
  name: 'faults that fail',
  where: passes,
  flags: [],
  prepare: prepareFor(...everywhere('error')),
  codes: { unavailable: (of, world) => world.ask(of, { headers: chosen }) },
};

/** What answers a request dies at it. */
export const dying = {
  name: 'faults that kill an actor',
  where: passes,
  flags: ['--restart-intensity', '1000'],
  prepare: prepareFor(...everywhere('crash')),
  codes: {
    outcome_unknown: async (of, world) => {
      // An actor that has handled something is replaced at once.
      await world.ask(operation('ops', 'list_tiers'));
      return world.ask(of, { headers: chosen });
    },
  },
};

/** What answers a request hangs for longer than its time. */
export const hanging = {
  name: 'faults that stall, and short deadlines',
  where: passes,
  flags: ['--request-timeout-ms', '500', '--export-timeout-ms', '500',
    '--ingest-timeout-ms', '500'],
  prepare: prepareFor(...everywhere('stall')),
  atOnce: 100,
  codes: { deadline_exceeded: (of, world) => world.ask(of, { headers: chosen }) },
};

const day = 86_400_000;
/** A body of an export of so many days of the demo data. */
const span = (days) => {
  const start = Date.UTC(2026, 0, 1);
  return { body: JSON.stringify({ query_start: start, query_end: start + days * day }) };
};

/** The store fails, whatever is asked of it. */
export const storeless = {
  name: 'faults of the store',
  where: passes,
  flags: [],
  prepare: prepareFor(...['open', 'read', 'write', 'commit'].map(
    (part) => [`store.${part}`, { kind: 'error' }])),
  codes: {
    // Of a span that no export is of yet.
    store_failed: (of, world) => world.ask(of, of.id === 'export_lobby_history' ? span(9) : {}),
  },
};


/** An export hangs, and no other may wait. */
export const exporting = {
  name: 'exports that hang',
  flags: ['--export-jobs', '1', '--export-queue', '0'],
  where: (of) => of.id === 'export_lobby_history',
  async prepare(world) {
    await inject(world, 'export.write', { kind: 'stall' });
    const of = operation('data', 'export_lobby_history');
    world.connect(of).send(await world.bytes(of));
    await untilHit(world, 'export.write');
  },
  codes: { exports_busy: (of, world) => world.ask(of, span(1)) },
};

/** Exports fill what they may, and lists are longer than they may. */
export const small = {
  name: 'small limits for exports and lists',
  flags: ['--export-limit-bytes', '1048576', '--avatar-list-limit-bytes', '1024'],
  codes: {
    list_too_large: (of, world) => world.ask(of),
    exports_full: async (of, world) => {
      for (let days = 1; ; ++days) {
        const answer = await world.ask(of, span(days));
        if (answer.status !== 200 || days > 400) return answer;
      }
    },
  },
};

/** The URL of an export is old, or its file is gone. */
export const late = {
  name: 'exports that are over',
  flags: ['--export-url-lifetime-ms', '1000'],
  where: (of) => of.id === 'download_export',
  codes: {
    url_expired: async (of, world) => {
      await world.exported();
      await inject(world, 'clock', { kind: 'delay', delay_ms: 3_600_000 });
      const answer = await world.ask(of);
      await heal(world);
      return answer;
    },
  },
};

const deadline_ms = 10;

/** Stops a process for longer than a deadline: what it is doing by then comes too late. */
async function stopFor(child) {
  child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 3 * deadline_ms));
  child.kill('SIGCONT');
}

/** Operations of the ops plane that pass no point where faults can be injected. */
export const isUnhindered = (of) => of.plane === 'ops' && (of.tokenKinds.length === 0 ||
  !passes(of) || ['get_metrics', 'list_actors', 'watch_status'].includes(of.id));

/** The process stands still while it has requests, for longer than they may take. */
export const stopped = {
  name: 'a process that was stopped',
  flags: ['--request-timeout-ms', `${deadline_ms}`, '--mailbox-reports', '100000',
    '--mailbox-fault-control', '1024', '--max-ops-connections', '2000'],
  where: isUnhindered,
  codes: {
    deadline_exceeded: async (of, world) => {
      const bytes = await world.bytes(of);
      for (let round = 0; round < 100; ++round) {
        const asked = Array.from({ length: 100 }, () => world.connect(of));
        await Promise.all(asked.map((each) => once(each.socket, 'connect')));
        const answers = Promise.all(asked.map((each) => each.send(bytes).answer()));
        await new Promise(setImmediate);
        await stopFor(world.service.child);
        const late = (await answers).find(({ status }) => status === 504);
        asked.forEach((each) => each.close());
        if (late) return world.note(of, late);
      }
      throw new Error('was always in time');
    },
  },
};
