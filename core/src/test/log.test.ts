import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { createLog } from '../telemetry/index.js';
import { painter, readable } from '../telemetry/lines.js';
import { Repeats } from '../telemetry/repeats.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs a program that logs; gives what it says over its message channel, and how it ended. */
function program(code: string, stdout: number | 'pipe') {
  const text = `import { createLog } from ${module('../telemetry/index.js')};
    const log = createLog({ level: 'info', stream: 'stdout', format: 'json' });
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    ${code}
    process.send('done', () => process.disconnect());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  const ended = new Promise<number | string | null>((resolve) =>
    child.on('exit', (exitCode, signal) => resolve(exitCode ?? signal)),
  );
  const heard: string[] = [];
  child.on('message', (message) => heard.push(String(message)));
  return { child, ended, heard };
}

const many =
  'for (let n = 0; n < 3000; n++) { log.info(`line ${n}`, { text: "x".repeat(3000) }); if (n % 100 === 0) await sleep(1); }';

describe('F6: a log that cannot be written', { timeout: 600_000 }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-log-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('on a full disk costs lines and nothing else', { skip: !existsSync('/dev/full') }, async () => {
    const full = openSync('/dev/full', 'w');
    const { ended, heard } = program(many, full);
    closeSync(full);
    expect(await ended).to.equal(0);
    expect(heard).to.equal(['done']);
  });

  it('into a pipe that is closed costs lines and nothing else', async () => {
    const { child, ended, heard } = program(
      `await new Promise((resolve) => process.once('message', resolve)); ${many}`,
      'pipe',
    );
    child.stdout!.destroy();
    await new Promise((resolve) => child.stdout!.once('close', resolve));
    child.send('go');
    expect(await ended).to.equal(0);
    expect(heard).to.equal(['done']);
  });

  for (const kind of ['socket', 'pipe'] as const) {
    it(`into a ${kind} that nobody reads stops nobody, and tells later what was lost`, async () => {
      const fifo = join(folder, 'fifo');
      if (kind === 'pipe') spawnSync('mkfifo', [fifo]);
      const fromFifo = () =>
        new Socket({ fd: openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK), readable: true });
      const reader = kind === 'pipe' ? fromFifo() : undefined;
      const writer = kind === 'pipe' ? openSync(fifo, constants.O_WRONLY) : undefined;
      const code = `${many} process.send('written'); await new Promise((resolve) => process.once('message', resolve));
        for (let n = 0; n < 20; n++) { log.info('again'); await sleep(60); }`;
      const { child, ended, heard } = program(code, writer ?? 'pipe');
      if (writer !== undefined) closeSync(writer);
      child.stdout?.pause();
      await new Promise<void>((resolve) => child.once('message', () => resolve()));
      expect(heard).to.equal(['written']);
      let text = '';
      const stream = child.stdout ?? reader!;
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.resume();
      const closed = new Promise((resolve) => stream.on('close', resolve));
      child.send('read');
      expect(await ended).to.equal(0);
      await closed;
      const lines = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { msg: string; count?: number });
      const lost = lines.filter(({ msg }) => msg === 'log lines were lost').reduce((sum, { count }) => sum + count!, 0);
      expect(lost).to.be.above(0);
      expect(lines.filter(({ msg }) => msg.startsWith('line')).length + lost).to.be.within(3000, 3020);
      expect(lines.at(-1)!.msg).to.equal('again');
    });
  }

  it('loses nothing into a file or pipe that works, also at the end', async () => {
    const file = join(folder, 'log');
    const descriptor = openSync(file, 'w');
    const toFile = program(`${many} log.error('last'); process.send('done'); process.exit(0);`, descriptor);
    closeSync(descriptor);
    expect(await toFile.ended).to.equal(0);
    expect(readFileSync(file, 'utf8').trim().split('\n').length).to.equal(3001);
    const few = many.replaceAll('3000', '1000');
    const toPipe = program(
      `${few} log.error('last'); process.send('done', () => process.exit(0)); await sleep(60000);`,
      'pipe',
    );
    let text = '';
    toPipe.child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await new Promise((resolve) => toPipe.child.stdout!.on('close', resolve));
    expect(await toPipe.ended).to.equal(0);
    expect(text.trim().split('\n').length).to.equal(1001);
  });
});

describe('the log', () => {
  const recorded = (format: 'json' | 'text' = 'json') => {
    const lines: string[] = [];
    const log = createLog({
      level: 'info',
      stream: 'stdout',
      format,
      destination: { write: (line) => void lines.push(line) },
    });
    return { lines, log };
  };

  it('F13: counts what is said again and again, and tells how often', () => {
    const { lines, log } = recorded();
    const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    for (let n = 0; n < 171; n++) log.of('jobs').error('jobs could not be looked for', { error: away() });
    log.of('jobs').error('jobs could not be looked for', { error: new Error('another reason') });
    log.warn('something else');
    for (let n = 0; n < 100; n++) log.info('every one counts', { n });
    expect(lines).to.have.length(5 + 1 + 1 + 100);
    log.flush();
    const last = JSON.parse(lines.at(-1)!) as { msg: string; plugin: string; level: string };
    expect(last).to.include({ msg: 'jobs could not be looked for (166 more times)', plugin: 'jobs', level: 'error' });
    log.of('jobs').error('jobs could not be looked for', { error: away() });
    expect(lines).to.have.length(5 + 1 + 1 + 100 + 2);
  });

  it('keeps no more than so many different lines in mind', () => {
    const told: string[] = [];
    const repeats = new Repeats({ summary: (text) => void told.push(text) });
    for (let n = 0; n < 1000; n++) expect(repeats.admit('', `line ${n}`, undefined)).to.be.true();
    repeats.end();
    expect(told).to.equal([]);
  });

  it('is for people in a terminal: a line each, with the plugin, and nothing that moves the cursor', () => {
    const { lines, log } = recorded('text');
    log.of('git').warn('a push failed\u001b[2J', { path: 'a b', id: 3 });
    expect(lines[0]).to.match(/^\d\d:\d\d:\d\d ! git: a push failed \[2J path="a b" id=3\n$/);
    log.error('broken', { error: new Error('for a reason') });
    expect(lines[1]).to.match(/^\d\d:\d\d:\d\d ✖ broken\n {4}Error: for a reason\n {4} *at /);
    expect(readable('no JSON\n', painter(true))).to.equal('no JSON\n');
    const painted = readable('{"level":"info","time":"2024-01-01T00:00:00Z","msg":"hello"}', painter(true));
    expect(painted).to.contain('\u001b[32m•\u001b[0m hello');
  });
});
