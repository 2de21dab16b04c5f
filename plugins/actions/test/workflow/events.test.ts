import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import {
  isSkipped,
  matchesPatterns,
  matchTriggers,
  nextTime,
  parseWorkflow,
  triggersOfEvent,
  wantsChangedFiles,
  type EventProperties,
  type Workflow,
} from '../../workflow/index.js';
import { linesOf } from './tables.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const workflow = (on: string): Workflow =>
  parseWorkflow(`on: ${on}\njobs: { a: { runs-on: x, steps: [{ run: y }] } }`, 'a.yml').workflow!;

describe('Patterns of branches, tags and paths', () => {
  it('match as the table says', () => {
    for (const line of linesOf('patterns.txt')) {
      const parts = /^(.*?) : (.*?)(?:^|\s?): ?(.*)$/.exec(line)?.slice(1) ?? [];
      const [patterns = [], inside = [], outside = []] = parts.map((part) => part.split(' ').filter(Boolean));
      for (const value of inside) expect(matchesPatterns(patterns, value), `${line}: ${value}`).to.be.true();
      for (const value of outside) expect(matchesPatterns(patterns, value), `${line}: ${value}`).to.be.false();
      expect(inside.length + outside.length, line).to.be.above(0);
    }
  });

  it('take time linear to the value, whatever they are', () => {
    const started = process.cpuUsage();
    const value = 'a'.repeat(5000);
    for (const pattern of [
      '**a'.repeat(100) + 'b',
      'a?'.repeat(400) + 'b',
      '{a,a}+'.repeat(100) + 'b',
      'a'.repeat(2000) + '*',
    ])
      expect(matchesPatterns([pattern], value)).to.be.false();
    expect(process.cpuUsage(started).user / 1e6).to.be.below(20);
  });
});

describe('Bounds of filters', () => {
  const filter = (patterns: readonly string[]) => `{ push: { paths: ${JSON.stringify(patterns)} } }`;
  const push = (changedFiles: readonly string[]) => ({ event: 'push', ref: 'refs/heads/main', changedFiles });
  const outcome = (patterns: readonly string[], files: readonly string[]) =>
    matchTriggers(workflow(filter(patterns)), push(files))[0]!.outcome;

  it('make more than 200 patterns an error in the file', () => {
    const read = (count: number) => parseWorkflow(`on: ${filter(Array(count).fill('a/**'))}\njobs: {}`, 'a.yml');
    const messages = (count: number) => read(count).problems.map(({ message }) => message);
    expect(messages(200).join()).to.not.contain('patterns');
    expect(messages(201)).to.include('"on.push.paths" has more than 200 patterns');
  });

  it('make more than 20 times of a schedule an error in the file', () => {
    const crons = (count: number) => JSON.stringify(Array(count).fill({ cron: '1 1 * * *' }));
    const messages = (count: number) =>
      parseWorkflow(`on: { schedule: ${crons(count)} }\njobs: {}`, 'a.yml').problems.map(({ message }) => message);
    expect(messages(20).join()).to.not.contain('schedule');
    expect(messages(21)).to.include('"on.schedule" has more than 20 entries');
  });

  it('look at 3,000 changed files, and at fewer for long patterns', () => {
    const files = (count: number) => [...Array(count).fill('b/other'), 'a/one'];
    expect(outcome(['a/*'], files(2999))).to.equal('match');
    expect(outcome(['a/*'], files(3000))).to.equal('filtered');
    const long = Array(199).fill(`${'**x'.repeat(300)}y`);
    expect(outcome([...long, 'a/*'], ['a/one'])).to.equal('match');
    const started = process.cpuUsage();
    expect(outcome([...long, 'a/*'], files(2999))).to.equal('filtered');
    expect(process.cpuUsage(started).user / 1e6).to.be.below(20);
  });
});

describe('Triggers', () => {
  it('match as the table says', () => {
    for (const line of linesOf('events.txt')) {
      const [, on = '', event = '', facts = '', wanted = ''] = /^(.*) \| (\w+) (\{.*\}) =>(.*)$/.exec(line) ?? [];
      const got = matchTriggers(workflow(on), { event, ...(JSON.parse(facts) as object) } as EventProperties);
      const words = got.map(({ trigger, outcome }) => (outcome === 'match' ? '' : '~') + trigger.event);
      expect(words, line).to.equal(wanted.split(' ').filter(Boolean));
    }
  });

  it('with a key that does not exist are broken, not filtered', () => {
    const outcome = (on: string) => matchTriggers(workflow(on), { event: 'push', ref: 'refs/heads/a' })[0]!.outcome;
    expect(outcome('{ push: { branchs: [main] } }')).to.equal('broken');
    expect(outcome('{ push: { branches: [main] } }')).to.equal('filtered');
  });

  it('take a pull request that got another base as a new one, where that is asked', () => {
    const facts = { event: 'pull_request', action: 'edited', baseBranch: 'main' };
    const count = (on: string, more: object) => matchTriggers(workflow(on), { ...facts, ...more }).length;
    for (const [on, without] of [
      ['pull_request', 0],
      ['{ pull_request: { types: [opened] } }', 0],
      ['{ pull_request: { types: [edited] } }', 1],
    ] as const)
      expect([count(on, {}), count(on, { isRetargeted: true })]).to.equal([without, 1]);
    expect(count('{ pull_request: { types: [closed] } }', { isRetargeted: true })).to.equal(0);
  });

  it('tell which keys an event starts', () => {
    expect(triggersOfEvent('issue_label')).to.equal(['issues', 'issue_label']);
    expect(triggersOfEvent('pull_request')).to.equal(['pull_request', 'pull_request_target']);
    expect(triggersOfEvent('push')).to.equal(['push']);
  });

  it('ask for changed files only where they decide', () => {
    const on = '{ push: { branches: [main], paths: [docs/**] }, pull_request: null }';
    const asks = (facts: EventProperties) => wantsChangedFiles(workflow(on), facts);
    expect(asks({ event: 'push', ref: 'refs/heads/main' })).to.be.true();
    expect(asks({ event: 'push', ref: 'refs/heads/dev' })).to.be.false();
    expect(asks({ event: 'push', ref: 'refs/tags/v1' })).to.be.false();
    expect(asks({ event: 'pull_request', action: 'opened', baseBranch: 'main' })).to.be.false();
  });

  it('are stopped by words in messages', () => {
    expect(isSkipped('quiet\n\n[skip ci]', ['[skip ci]', '[no ci]'])).to.be.true();
    expect(isSkipped('[SKIP CI] skip ci', ['[skip ci]', ''])).to.be.false();
  });
});

describe('Schedules', () => {
  const from = Date.UTC(2026, 0, 1, 0, 0, 0);
  const next = (cron: string, zone?: string) => {
    const time = nextTime(cron, from, zone);
    return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
  };

  it('come at the times of their fields, in their time zone', () => {
    expect(next('30 5 * * *')).to.equal('2026-01-01T05:30');
    expect(next('*/15 * * * *')).to.equal('2026-01-01T00:15');
    expect(next('0 0 * * MON')).to.equal('2026-01-05T00:00');
    expect(next('@daily')).to.equal('2026-01-02T00:00');
    expect(next('@every 90m')).to.equal('2026-01-01T01:30');
    expect(next('@every 60s')).to.equal('2026-01-01T00:01');
    expect(nextTime('@every 0s', 5000)).to.equal(6000);
    expect(next('TZ=Asia/Tokyo 0 12 * * *')).to.equal('2026-01-01T03:00');
    expect(next('CRON_TZ=Europe/Berlin 0 12 * * *')).to.equal('2026-01-01T11:00');
    expect(next('0 12 * * *', 'Europe/Berlin')).to.equal('2026-01-01T11:00');
  });

  it('are none when they mean nothing or never come', () => {
    for (const cron of [
      '',
      'x',
      '* * * *',
      '* * * * * *',
      '99 * * * *',
      '0 0 30 2 *',
      '@never',
      '@every',
      '@every x',
      'TZ=No/Where 0 0 * * *',
    ])
      expect(next(cron), cron).to.be.undefined();
  });
});
