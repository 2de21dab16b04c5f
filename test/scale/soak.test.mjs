// The soak test's own parts: its rule, and in the full run half a minute of its load.
//
//   MORTISE_TEST_FULL=1   the load runs for half a minute, with all operations
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { runSoak } from './soak/run.mjs';
import { chart, table } from './soak/report.mjs';
import { grown, compareQuarters } from './soak/growth.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const isFull = Boolean(process.env.MORTISE_TEST_FULL);
const engine = process.env.MORTISE_TEST_ENGINE === 'mysql' ? 'mariadb' : 'sqlite';
/** Samples of an hour whose series are what the functions give for the number of the sample. */
const made = (functions) =>
  Array.from({ length: 360 }, (_, at) => ({
    seconds: at * 10,
    series: Object.fromEntries(Object.entries(functions).map(([name, valueOf]) => [name, valueOf(at)])),
  }));

describe('the rule of the soak test', () => {
  it('calls flat what comes and goes, and grown what only comes', () => {
    const rows = compareQuarters(
      made({
        'table job': (at) => 100 + (at % 30) * 10,
        'table lost': (at) => at,
        'worker 1: heap (MB)': (at) => 120 + (at % 7) * 5,
        'worker 2: heap (MB)': (at) => 120 + (at % 7) * 5 + at / 8,
        'worker 1: open descriptors': (at) => (at < 60 ? at : 60),
        'worker 2: open descriptors': (at) => 40 + at / 6,
      }),
    );
    expect(grown(rows).map(({ name }) => name)).to.equal([
      'table lost',
      'worker 2: heap (MB)',
      'worker 2: open descriptors',
    ]);
  });
});

describe('half a minute of the soak test', { skip: !isFull, timeout: 600_000 }, () => {
  it('does everything without a failure, and sees a leak', async () => {
    const seen = await runSoak({ minutes: 0.5, engine, everyMs: 3000, datasetMs: 6000, pace: 3 });
    expect(seen.failures).to.equal([]);
    expect(Object.keys(seen.counts).filter((name) => seen.counts[name].done === 0)).to.equal([]);
    expect(seen.delivered).to.be.above(0);
    expect(seen.mails).to.be.above(0);
    expect(seen.liveMessages).to.be.above(0);
    const heap = 'worker 2: heap (MB)';
    const leaking = seen.samples.map((one, at) => ({
      ...one,
      series: { ...one.series, [heap]: one.series[heap] + 20 * at },
    }));
    expect(grown(compareQuarters(leaking)).map(({ name }) => name)).to.include(heap);
    expect(chart(seen.samples, compareQuarters(leaking), 'a leak')).to.include('worker 2');
    expect(table(compareQuarters(leaking))).to.match(/worker 2: heap \(MB\) .*grows/);
  });
});
