// Rates of requests, each set against the yardstick just before and after it: a machine is not equally fast all the time.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { root, untilUp } from './site.mjs';

/** `body`: what is posted; absent: it is read. */
export async function load(url, headers, duration, body) {
  const result = await autocannon({ url, connections: 8, duration, headers, ...(body && { method: 'POST', body }) });
  const bad = result.non2xx + result.errors + result.timeouts;
  return { rate: result.requests.average, p99: result.latency.p99, bad };
}

export async function startYardstick(port) {
  const child = spawn(process.execPath, [join(root, 'bench/yardstick.mjs'), String(port)], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/`;
  await untilUp(url);
  await load(url, undefined, 2);
  const rates = [];
  const look = async () => {
    rates.push((await load(url, undefined, 1.5)).rate);
    return rates.at(-1);
  };
  let before = await look();
  /** Measures, and gives the share of the yardstick in percent with what was measured. */
  const against = async (measure) => {
    const result = await measure();
    const after = await look();
    const share = (200 * result.rate) / (before + after);
    before = after;
    return { ...result, share };
  };
  return {
    rates,
    against,
    /** The middle one of several, by its share; what failed in any of them counts. */
    async often(count, measure) {
      const results = [];
      for (let n = 0; n < count; n++) results.push(await against(measure));
      const bad = results.reduce((sum, one) => sum + one.bad, 0);
      results.sort((one, other) => one.share - other.share);
      return { ...results[Math.floor(count / 2)], bad, shares: results.map(({ share }) => share) };
    },
    stop: () => child.kill(),
  };
}

/** Runs `measure` while another process makes small writes to a repository; gives its result and the writes of a second. */
export async function whileWriting(base, token, measure, repository = 'root/big') {
  const child = spawn(process.execPath, [join(root, 'bench/writes.mjs'), base, token, repository], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.on('data', (text) => (told += text));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const result = await measure();
  child.stdin.end();
  await ended;
  return { ...result, writes: Number(told) };
}
