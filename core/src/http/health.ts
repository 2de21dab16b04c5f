import type { HttpDeps } from '../contracts.js';
import type { HttpKernel } from './kernel.js';

interface CheckResult {
  readonly status: 'pass' | 'warn' | 'fail';
  readonly time: string;
  readonly output?: string;
}

interface Health {
  /** `warn`: it serves, and something in a plugin went wrong. */
  readonly status: 'pass' | 'warn' | 'fail';
  readonly description: string;
  readonly checks: Readonly<Record<string, readonly CheckResult[]>>;
}

/** What went wrong names addresses and paths: that is for the log. Who asks is not looked up, since the database may be away. */
export function forVisitors(health: Health): Health {
  const checks = Object.entries(health.checks).map(([name, results]) => [
    name,
    results.map((one) => (one.status === 'fail' ? { ...one, output: 'see the log' } : one)),
  ]);
  return { ...health, checks: Object.fromEntries(checks) as Health['checks'] };
}

const timeoutMs = 5000;
/** An answer is given again for so long, so that nobody makes work by asking often. */
const freshMs = 1000;

/** Asks the checks at most once a second, however many ask. */
export function sharedHealth(kernel: HttpKernel, deps: HttpDeps): () => Promise<Health> {
  let last: { at: number; health: Promise<Health> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > freshMs)
      last = { at: performance.now(), health: healthOf(kernel, deps) };
    return last.health;
  };
}
const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

/** Runs all health checks at once; a check that hangs has failed. Shape of draft-inadarei-api-health-check. */
async function healthOf(kernel: HttpKernel, deps: HttpDeps): Promise<Health> {
  const checks: Record<string, CheckResult[]> = {};
  const { database } = kernel.services;
  const all = [
    ...(database ? [{ name: 'database:ping', run: () => database.ping() }] : []),
    ...deps.healthChecks.map((one) => ({
      name: `${one.owner}:${one.id}`,
      run: () => kernel.call(one.owner, `health ${one.id}`, () => one.check()),
    })),
  ];
  await Promise.all(
    all.map(async ({ name, run }) => {
      const health = await result(run);
      checks[name] = [health];
      if (health.status === 'fail')
        kernel.log.warn('a health check failed', { event: 'health.failed', check: name, error: health.output });
    }),
  );
  const failingPlugins = [...new Set((deps.failingPlugins?.() ?? []).map(({ plugin, kind }) => `${plugin} (${kind})`))];
  if (failingPlugins.length > 0)
    checks['plugins:faults'] = [{ status: 'warn', time: now(), output: `${failingPlugins.join(', ')}; see the log` }];
  const failed = Object.values(checks).some(([one]) => one!.status === 'fail');
  return {
    status: failed ? 'fail' : failingPlugins.length > 0 ? 'warn' : 'pass',
    description: kernel.site.name,
    checks,
  };
}

async function result(run: () => Promise<void>): Promise<CheckResult> {
  const time = now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  });
  try {
    await Promise.race([run(), late]);
    return { status: 'pass', time };
  } catch (error) {
    return { status: 'fail', time, output: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}
