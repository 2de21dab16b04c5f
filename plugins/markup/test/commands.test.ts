import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost } from '@mortise/plugin-sdk/testing';
import { markup as markupRef } from '../contract/markup.js';
import { renderCommands, runRenderCommand } from '../services/render-command.js';
import { commandSettings, type CommandSettings } from '../settings.js';
import { closeAll, service, type MarkupOptions } from './kit.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

/** Commands for files that end with `.x`. */
const commandsOf = (...given: readonly Partial<CommandSettings>[]) =>
  renderCommands(
    new Map(
      given.map((one, at) => {
        const settings = { ENABLED: true, FILE_EXTENSIONS: '.x', ...one };
        return [`test${at}`, commandSettings.validate(settings).value as CommandSettings];
      }),
    ),
  );
const serviceWith = (command: Partial<CommandSettings>, settings: MarkupOptions['settings'] = {}) =>
  service({ commands: commandsOf(command), settings });

describe('issue 30: commands that render files ([markup.NAME] RENDER_COMMAND)', { timeout: 60_000 }, () => {
  let folder: string;
  const scriptOf = async (text: string) => {
    const file = join(folder, 'render.sh');
    await writeFile(file, text);
    return `sh ${file}`;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mortise-command-'));
  });
  after(() => rm(folder, { recursive: true }));
  afterEach(closeAll);

  it('get the text on the standard input, or a file with its ending', async () => {
    const { markup } = serviceWith({ RENDER_COMMAND: 'cat' });
    expect(markup.canRender('a.X')).to.be.true();
    expect(await markup.renderFile('a.x', '<b>bold</b>')).to.equal('<b>bold</b>');
    const named = serviceWith({ RENDER_COMMAND: 'echo', IS_INPUT_FILE: true });
    expect(await named.markup.renderFile('some.name.x', 'text')).to.match(/\/mortise-render-\w+\/input\.x\s*$/);
    const read = serviceWith({ RENDER_COMMAND: 'cat', IS_INPUT_FILE: true });
    expect(await read.markup.renderFile('a.x', '<i>read</i>')).to.equal('<i>read</i>');
  });

  it('are no shell, and what they write is sanitized', async () => {
    const { markup } = serviceWith({ RENDER_COMMAND: 'echo $(id) ; id | cat `id` $HOME' });
    expect(await markup.renderFile('a.x', '')).to.equal('$(id) ; id | cat `id` $HOME\n');
    const echo = serviceWith({ RENDER_COMMAND: 'cat' });
    const hostile =
      '<p onclick="x()">a<script>alert(1)</script><a href="javascript:x()">b</a><iframe src="/"></iframe></p>';
    const html = await echo.markup.renderFile('a.x', hostile);
    expect(html)
      .to.include('<p>a')
      .and.not.to.match(/script|onclick|iframe/);
  });

  it('see nothing of the environment but the path and where the file is', async () => {
    process.env.MORTISE_TEST_SECRET = 'hush';
    const { markup } = serviceWith({ RENDER_COMMAND: 'env' });
    const place = { linkBase: '/ada/wheel/src/branch/main', imageBase: '/ada/wheel/raw/branch/main' };
    const lines = (await markup.renderFile('a.x', '', place))!.trim().split('\n');
    const names = lines
      .map((line) => line.split('=')[0]!)
      .filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name));
    expect(names.sort()).to.equal(['GITEA_PREFIX_RAW', 'GITEA_PREFIX_SRC', 'HOME', 'LANG', 'PATH', 'TMPDIR']);
    expect(lines).to.include([`GITEA_PREFIX_SRC=${place.linkBase}`, `GITEA_PREFIX_RAW=${place.imageBase}`]);
    const named = serviceWith({ RENDER_COMMAND: 'echo --src=$GITEA_PREFIX_SRC $GITEA_PREFIX_RAW' });
    expect(await named.markup.renderFile('a.x', '', place)).to.include(`--src=${place.linkBase} ${place.imageBase}`);
    // it is not kept for another place
    expect(await named.markup.renderFile('a.x', '', { linkBase: '/else' })).to.include('--src=/else');
  });

  it('end with everything that they have begun when they take too long', async () => {
    const pids = join(folder, 'pids');
    const command = await scriptOf(`sleep 50 & echo $! > ${pids}; sleep 50`);
    const { markup, log } = serviceWith({ RENDER_COMMAND: command }, { RENDER_COMMAND_TIME_LIMIT: 500 });
    expect(await markup.renderFile('a.x', 'text')).to.equal('<pre class="markup-plain">text</pre>');
    expect(log.join()).to.include('it took longer than 500 ms');
    const pid = Number(await readFile(pids, 'utf8'));
    // the system takes a moment to bury what was ended
    const isRunning = async () => {
      const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
      return state.split(') ')[1]![0] !== 'Z';
    };
    while (await isRunning()) await wait(10);
  });

  it('are not waited for when something of theirs has left their process group, nor begun when the server stops', async () => {
    const file = join(folder, 'left');
    const leaving = `setsid sh -c 'echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 600' & sleep 600`;
    const [command] = commandsOf({ RENDER_COMMAND: await scriptOf(leaving) });
    const stopping = new AbortController();
    const run = () =>
      runRenderCommand(
        command!,
        { text: '', extension: '.x', sourcePrefix: '', rawPrefix: '' },
        { milliseconds: 30_000, memory: 0, signal: stopping.signal },
      );
    const ended = expect(run()).to.reject('the server stops');
    const pid = async () => Number(await readFile(file, 'utf8').catch(() => 0));
    while ((await pid()) === 0) await wait(10);
    stopping.abort();
    await ended;
    process.kill(await pid(), 'SIGKILL');
    await expect(run()).to.reject('the server stops');
  });

  it('are refused, and end nothing else, when the process has too many files open', async () => {
    const program = `
      import { openSync } from 'node:fs';
      import { runRenderCommand } from '${new URL('../services/render-command.js', import.meta.url).href}';
      try { for (;;) openSync('/dev/null'); } catch {}
      const input = { text: '', extension: '.x', sourcePrefix: '', rawPrefix: '' };
      const limits = { milliseconds: 30000, memory: 0, signal: new AbortController().signal };
      await runRenderCommand({ words: ['cat'], isInputFile: false }, input, limits).catch(({ code }) => console.log(code));
      await new Promise((resolve) => setImmediate(resolve));`;
    const few = 'ulimit -n 256; exec "$0" --input-type=module --eval "$1"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', few, process.execPath, program]);
    expect(stdout).to.equal('EMFILE\n');
  });

  it('are shown as plain text where they fail, flood, grow or are not there, and not tried again at once', async () => {
    for (const [RENDER_COMMAND, why] of [
      ['false', 'it ended with 1'],
      ['yes', 'it wrote too much'],
      ['tail /dev/zero', 'it ended with'],
      ['/nowhere/renderer', 'it ended with 127'],
    ] as const) {
      const { markup, log, results } = serviceWith({ RENDER_COMMAND }, { RENDER_COMMAND_MEMORY_LIMIT: 64 });
      for (let count = 0; count < 2; count++)
        expect(await markup.renderFile('a.x', '<b>'), RENDER_COMMAND).to.equal(
          '<pre class="markup-plain">&lt;b&gt;</pre>',
        );
      expect(log.join(), RENDER_COMMAND).to.include(why);
      expect(results, RENDER_COMMAND).to.equal(['failed', 'cached']);
    }
  });

  it('are run once for the same text, so many at once, and leave other texts their turn', async () => {
    const { markup, results } = serviceWith({ RENDER_COMMAND: await scriptOf(`echo x >> ${folder}/runs; cat`) });
    await Promise.all(Array.from({ length: 5 }, () => markup.renderFile('a.x', 'same')));
    await markup.renderFile('b.x', 'same');
    expect(await readFile(join(folder, 'runs'), 'utf8')).to.equal('x\n');
    expect(results).to.equal(['done', 'cached']);
    const slow = serviceWith({ RENDER_COMMAND: 'sleep 50' }, { RENDER_COMMANDS: 1 });
    const hanging = slow.markup.renderFile('a.x', '');
    expect(await slow.markup.render('*fine*')).to.include('<em>fine</em>');
    // and the end of the server is the end of the command
    await slow.close();
    expect(await hanging).to.include('markup-plain');
  });

  it('come after what is rendered here, and only where they are enabled and named', async () => {
    const { markup } = service({
      commands: commandsOf(
        { RENDER_COMMAND: 'false', FILE_EXTENSIONS: '.md,.adoc' },
        { RENDER_COMMAND: 'cat', FILE_EXTENSIONS: '.off', ENABLED: false },
        { RENDER_COMMAND: '', FILE_EXTENSIONS: '.none' },
      ),
    });
    expect(await markup.renderFile('a.adoc', '*bold*')).to.include('<strong>bold</strong>');
    expect([markup.canRender('a.off'), markup.canRender('a.none')]).to.equal([false, false]);
  });

  it('leave mentions alone without NEED_POST_PROCESS, and are read from any number of sections', async () => {
    const host = await startHost({
      plugins: ['markup'],
      settings: {
        'markup.one': { ENABLED: true, FILE_EXTENSIONS: '.one', RENDER_COMMAND: 'cat' },
        'markup.two': { ENABLED: true, FILE_EXTENSIONS: '.two', RENDER_COMMAND: 'tr a b', NEED_POST_PROCESS: false },
      },
    });
    const markup = host.services.get(markupRef);
    expect(await markup.renderFile('x.one', '<b>a</b>')).to.equal('<b>a</b>');
    expect(await markup.renderFile('x.two', 'aa')).to.equal('bb');
    await host.close();
  });
});
