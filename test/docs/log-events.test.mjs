// Operators filter logs by `event`: each line has one, and docs/log-events.md lists them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { logCalls, logCallsIn, logEventsPage } from '../../core/bin/log-events.mjs';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before } = lab;

describe('events of the log', { skip: !existsSync(join(root, '.git')) }, () => {
  let calls;
  before(() => {
    calls = logCalls(root);
  });

  it('finds log calls in every form, and those that name no event', () => {
    const text = [
      "log.warn('a job is late', { event: 'job.late', id });",
      "this.#log?.error(`${what} failed`, { event: 'job.failed', ...fields });",
      "this.deps.log.info('started', fields);",
      "dialog.error('no log');",
      'log.debug(sql);',
      "log.of(owner).warn('a plugin is late');",
      "this.#deps.logOf(owner).error(messages[kind], { event: 'plugin.failed' });",
      "(logOf?.(owner) ?? log).warn('slow', { ms });",
    ].join('\n');
    expect(logCallsIn('core/src/x.ts', text)).to.equal([
      { file: 'core/src/x.ts', line: 1, level: 'warn', event: 'job.late', message: 'a job is late' },
      { file: 'core/src/x.ts', line: 2, level: 'error', event: 'job.failed', message: '… failed' },
      { file: 'core/src/x.ts', line: 3, level: 'info', event: undefined, message: 'started' },
      { file: 'core/src/x.ts', line: 6, level: 'warn', event: undefined, message: 'a plugin is late' },
      { file: 'core/src/x.ts', line: 7, level: 'error', event: 'plugin.failed', message: '' },
      { file: 'core/src/x.ts', line: 8, level: 'warn', event: undefined, message: 'slow' },
    ]);
  });

  it('each log call of product code names its event as a literal: dotted words in lower camel case', () => {
    expect(calls.length).to.be.above(100);
    const word = '[a-z][a-zA-Z0-9]*';
    const isEvent = (event) => new RegExp(`^${word}(\\.${word})+$`).test(event ?? '');
    const faults = calls.filter(({ event }) => !isEvent(event));
    expect(faults.map(({ file, line, event }) => `${file}:${line} ${event ?? 'no event'}`)).to.equal([]);
  });

  it('docs/log-events.md lists them all: npm run docs', () => {
    expect(readFileSync(join(root, 'docs/log-events.md'), 'utf8')).to.equal(logEventsPage(calls));
  });
});
