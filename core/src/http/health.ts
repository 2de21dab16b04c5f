import type { HttpParts } from '../contracts.js';
import type { HttpKernel } from './kernel.js';

interface CheckResult {
  readonly status: 'pass' | 'fail';
  readonly time: string;
  readonly output?: string;
}

export interface Health {
  readonly status: 'pass' | 'fail';
  readonly description: string;
  readonly checks: Readonly<Record<string, readonly CheckResult[]>>;
}

const patience = 5000;

/** Runs all health checks at once; a check that hangs has failed. Shape of draft-inadarei-api-health-check. */
export async function healthOf(kernel: HttpKernel, parts: HttpParts): Promise<Health> {
  const checks: Record<string, CheckResult[]> = {};
  const { database } = kernel.services;
  const all = [
    ...(database ? [{ name: 'database:ping', run: () => database.ping() }] : []),
    ...parts.healthChecks.map((one) => ({
      name: `${one.owner}:${one.id}`,
      run: () => kernel.call(one.owner, `health ${one.id}`, () => one.check()),
    })),
  ];
  await Promise.all(
    all.map(async ({ name, run }) => {
      checks[name] = [await result(run)];
    }),
  );
  const failed = Object.values(checks).some(([one]) => one!.status === 'fail');
  return { status: failed ? 'fail' : 'pass', description: kernel.site.name, checks };
}

async function result(run: () => Promise<void>): Promise<CheckResult> {
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), patience);
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
