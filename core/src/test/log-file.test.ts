import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { openSettings } from '../settings/open.js';
import { createLog, declareLog } from '../telemetry/index.js';
import { LogFile, type LogFileOptions } from '../telemetry/log-file.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('log files', { timeout: 120_000 }, () => {
  let folder: string;
  let path: string;
  let open: LogFile[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-log-file-'));
    path = join(folder, 'logs', 'mortise.log');
    open = [];
  });
  afterEach(() => {
    for (const file of open) file.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const logFile = (options: Partial<LogFileOptions> = {}): LogFile => {
    const file = new LogFile({ path, rotates: true, maxBytes: 1e9, isDaily: true, maxDays: 7, ...options });
    open.push(file);
    return file;
  };
  const texts = () =>
    Object.fromEntries(
      readdirSync(join(folder, 'logs'))
        .sort()
        .map((name) => {
          const bytes = readFileSync(join(folder, 'logs', name));
          return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()];
        }),
    );

  it('processes that share one lose and tear no line, and each rotation happens once', async () => {
    const module = JSON.stringify(new URL('../telemetry/log-file.js', import.meta.url).href);
    const code = `import { LogFile } from ${module};
      const file = new LogFile({ path: process.argv[1], rotates: true, maxBytes: 20_000, isDaily: true, maxDays: 7 });
      const line = (n) => JSON.stringify({ pid: process.pid, n, text: 'x'.repeat(n % 300) }) + '\\n';
      for (let n = 0; n < 1500; n++) { file.write(line(n)); if (n % 50 === 0) await new Promise(setImmediate); }
      file.close();`;
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', code, path], { stdio: 'inherit' });
        return new Promise((resolve) => child.on('exit', resolve));
      }),
    );
    expect(codes).to.equal([0, 0, 0, 0]);
    const files = texts();
    const lines = Object.values(files).flatMap((text) => text.split('\n').slice(0, -1));
    const seen = new Set(
      lines.map((line) => {
        const { pid, n } = JSON.parse(line) as { pid: number; n: number };
        return `${pid} ${n}`;
      }),
    );
    expect([lines.length, seen.size]).to.equal([6000, 6000]);
    const rotated = Object.entries(files).filter(([name]) => name !== 'mortise.log');
    expect(rotated.length).to.be.above(10);
    for (const [, text] of rotated) expect(text.length).to.be.at.least(20_000);
    expect(Object.keys(files).filter((name) => name.endsWith('.lock'))).to.be.empty();
  });

  it('a new day begins a new file, on a site that writes all the time and on one that is quiet', async () => {
    let now = new Date(2026, 4, 1, 23, 59, 59).getTime();
    const busy = logFile({ now: () => now });
    const other = logFile({ now: () => now });
    busy.write('first\n');
    other.write('second\n');
    now += 2000;
    busy.write('third\n');
    other.write('fourth\n');
    const today = { 'mortise.log.2026-05-01.001': 'first\nsecond\n', 'mortise.log': 'third\nfourth\n' };
    expect(texts()).to.equal(today);
    await other.tick();
    expect(texts()).to.equal(today);
    now = new Date(2026, 4, 3).getTime();
    await Promise.all([busy.tick(), other.tick()]);
    expect(texts()).to.equal({
      'mortise.log': '',
      'mortise.log.2026-05-01.001': 'first\nsecond\n',
      'mortise.log.2026-05-02.001': 'third\nfourth\n',
    });
    now = new Date(2026, 4, 2).getTime();
    busy.write('after a clock that was set back\n');
    expect(texts()['mortise.log']).to.equal('after a clock that was set back\n');
  });

  it('a file of another day is rotated at the start, and one of today goes on', () => {
    mkdirSync(join(folder, 'logs'));
    writeFileSync(path, 'old\n');
    const yesterday = new Date(Date.now() - 86_400_000);
    utimesSync(path, yesterday, yesterday);
    logFile().write('one\n');
    logFile().write('two\n');
    expect(Object.values(texts()).sort()).to.equal(['old\n', 'one\ntwo\n']);
  });

  it('rotated files are compressed and removed after their days, and other files are left alone', async () => {
    mkdirSync(join(folder, 'logs'));
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    const write = (name: string, age: number) => {
      appendFileSync(join(folder, 'logs', name), `${name}\n`);
      utimesSync(join(folder, 'logs', name), days(age), days(age));
    };
    write('mortise.log.2026-01-01.001', 2);
    write('mortise.log.2026-01-01.002', 8);
    write('mortise.log.2026-01-01.003.gz', 8);
    write('mortise.log.mine', 9);
    write('mortise.log.2026-01-02.001.gz.part', 9);
    write('mortise.log.2026-01-02.001', 0);
    const file = logFile({ compression: 9 });
    file.write('now\n');
    const archive = 'mortise.log.2026-01-01.001.gz';
    await Promise.all([file.tick(), logFile({ compression: 9 }).tick()]);
    expect(readdirSync(join(folder, 'logs')).sort()).to.equal([
      'mortise.log',
      archive,
      'mortise.log.2026-01-02.001',
      'mortise.log.2026-01-02.001.gz.part',
      'mortise.log.mine',
    ]);
    expect(texts()[archive]).to.equal('mortise.log.2026-01-01.001\n');
    expect(statSync(join(folder, 'logs', archive)).mtimeMs).to.be.about(days(2).getTime(), 60_000);
  });

  it('goes on where another program renames or removes the file', () => {
    const file = logFile({ rotates: false, maxBytes: 4 });
    file.write('one\n');
    file.write('two\n');
    renameSync(path, `${path}.1`);
    file.write('three\n');
    expect(texts()).to.equal({ 'mortise.log': 'three\n', 'mortise.log.1': 'one\ntwo\n' });
    rmSync(path);
    file.reopen();
    file.write('four\n');
    expect(texts()).to.equal({ 'mortise.log': 'four\n', 'mortise.log.1': 'one\ntwo\n' });
  });

  it('SIGHUP and SIGUSR1 have a process go on in the file that has the name then', async () => {
    const from = (module: string) => JSON.stringify(new URL(module, import.meta.url).href);
    const file = { path, rotates: false, maxBytes: 1, isDaily: false, maxDays: 0 };
    const code = `import { createLog } from ${from('../telemetry/index.js')};
      import { reopenOnSignals } from ${from('../cli/reopen-on-signals.js')};
      const log = createLog({ level: 'info', stream: 'stderr', outputs: [{ mode: 'file', level: 'info', file: ${JSON.stringify(file)} }] });
      reopenOnSignals(log);
      process.on('message', (text) => { log.info(text); process.send('done'); if (text === 'last') process.disconnect(); });
      process.send('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const closed = new Promise((resolve) => child.once('close', (status, signal) => resolve(signal ?? status)));
    const heard = () => new Promise((resolve) => child.once('message', resolve));
    const say = (text: string) => (child.send(text), heard());
    await heard();
    for (const [signal, text] of [
      ['SIGHUP', 'first'],
      ['SIGUSR1', 'second'],
    ] as const) {
      await say(text);
      renameSync(path, `${path}.${text}`);
      child.kill(signal);
    }
    await say('last');
    expect([await closed, errors]).to.equal([0, '']);
    const messages = Object.entries(texts()).map(([name, text]) => [name, (JSON.parse(text) as { msg: string }).msg]);
    expect(messages).to.equal([
      ['mortise.log', 'last'],
      ['mortise.log.first', 'first'],
      ['mortise.log.second', 'second'],
    ]);
  });

  it('a full disk and a folder that cannot be written cost lines, which are counted once it works again', () => {
    const reasons: string[] = [];
    const failed = (reason: string) => void reasons.push(reason);
    const lost = (count: number) => `${count} lost\n`;
    if (existsSync('/dev/full')) {
      const full = logFile({ path: '/dev/full', rotates: false, failed });
      for (let n = 0; n < 3; n++) full.write('gone\n');
      expect(reasons.splice(0)).to.equal(['ENOSPC']);
    }
    writeFileSync(join(folder, 'logs'), '');
    const file = logFile({ failed, lost });
    for (let n = 0; n < 3; n++) file.write('gone\n');
    expect(reasons.splice(0)).to.have.length(1);
    rmSync(join(folder, 'logs'));
    file.write('back\n');
    expect(texts()).to.equal({ 'mortise.log': '3 lost\nback\n' });
  });

  it('a lock that a killed process left is taken away after a while', () => {
    const file = logFile({ maxBytes: 4 });
    file.write('one\n');
    writeFileSync(`${path}.lock`, '');
    file.write('two\n');
    expect(texts()['mortise.log']).to.equal('one\ntwo\n');
    const before = new Date(Date.now() - 3_600_000);
    utimesSync(`${path}.lock`, before, before);
    file.write('three\n');
    file.write('four\n');
    expect(texts()['mortise.log']).to.equal('four\n');
  });

  it('each output has its level, and settings say which there are', () => {
    mkdirSync(join(folder, 'config'));
    const read = (text: string) => {
      writeFileSync(join(folder, 'config', 'app.ini'), text);
      const { settingsRegistry } = openSettings({ workDir: folder, environment: {} });
      return { log: declareLog(settingsRegistry, folder), problems: settingsRegistry.problems, settingsRegistry };
    };
    expect(read('').log.outputs).to.equal([{ mode: 'console', level: 'info', stream: 'stdout' }]);
    const { log, problems } = read(
      '[log]\nMODE = file, errors\nLEVEL = debug\nROOT_PATH = logs\n[log.errors]\nMODE = file\nFILE_NAME = errors.log\nLEVEL = Error\n[log.file]\nMAX_SIZE_SHIFT = 20\nCOMPRESS = no\n',
    );
    expect(problems).to.be.empty();
    const common = { rotates: true, isDaily: true, maxDays: 7 };
    expect(log.outputs).to.equal([
      { mode: 'file', level: 'debug', file: { path, ...common, maxBytes: 1_048_576, compression: undefined } },
      {
        mode: 'file',
        level: 'error',
        file: { path: join(folder, 'logs', 'errors.log'), ...common, maxBytes: 268_435_456, compression: -1 },
      },
    ]);
    const made = createLog({ level: 'none', stream: 'stderr', outputs: log.outputs });
    made.debug('a detail');
    made.of('plugin').error('a fault');
    const messages = (name: string) => [...texts()[name]!.matchAll(/"msg":"([^"]*)"/g)].map(([, text]) => text);
    expect(messages('mortise.log')).to.equal(['a detail', 'a fault']);
    expect(messages('errors.log')).to.equal(['a fault']);
    made.reopen!();

    const other = read('[log]\nMODE = conn\n');
    expect(other.log.outputs).to.equal([{ mode: 'console', level: 'info', stream: 'stdout' }]);
    expect(other.settingsRegistry.warnings[0]).to.contain('app.ini:2').and.contain('names conn');
    const wrong = read('[log]\nMODE = console, other\n[log.file]\nMAX_SIZE_SHIFT = much\nMODE = console\n');
    expect(wrong.problems.join('\n'))
      .to.contain('[log.other] MODE is wrong: is required')
      .and.contain('[log.file] MAX_SIZE_SHIFT is wrong')
      .and.contain('[log.file] MODE is wrong');
  });
});
