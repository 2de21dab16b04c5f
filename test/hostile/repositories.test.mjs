// Repositories that are meant badly, or damaged on disk: every page and every read of the API answers in bounded time
// and size, as what it is, without their markup; and what is spoilt costs its own answer only.
// Database: SQLite alone; what is hostile here is what git holds.
// Time: about 120 s
//
//   MORTISE_TEST_FULL=1   a bomb of 300 MB, a text of 20 MB and a folder of 100,000 files instead of smaller ones, and
//                         each question of each branch and file
//   MORTISE_TEST_REPORT=1 prints the slow and the refused requests
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { peakMemory } from '../support/peak-memory.mjs';
import { startServer } from '../support/server.mjs';
import { branchNames, git, makeHostileRepository, oddNames } from './fixtures/hostile-repository.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const full = Boolean(process.env.MORTISE_TEST_FULL);
const report = Boolean(process.env.MORTISE_TEST_REPORT);
/** Files in one folder: a page or a list of all of them would be larger than what is allowed below. */
const widest = full ? 100_000 : 40_000;
// "bounded" is what this proves, not fast: the slowest takes seconds here, and many times as long on a busy machine
const patienceMs = 120_000;
const maxPageBytes = 8 << 20;
const maxJsonBytes = 16 << 20;
const maxFileBytes = 400 << 20;
const heapLimit = process.env.NODE_V8_COVERAGE ? 240 : 160;
// In MB, over what it has at its start: the heap, with a third for coverage, and room. One bomb held whole would be over it.
const maxGrowth = heapLimit + (full ? 90 : 60);

/** Tags as a browser cuts them out of a page, and what must never be among them. */
const tag = /<([a-z][\w-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*"|='[^']*'|=[^\s"'>]+)?)*)\s*\/?>/gi;
const attribute = /\s([^\s"'<>/=]+)(?:="([^"]*)"|='([^']*)'|=([^\s"'>]+))?/g;
const leads =
  /^[\s\0-\x1f]*(?:j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t|vbscript|file|ext|data:(?!image\/|text\/html,x$))\s*:?/i;

/** Markup of the fixtures that reached a page as markup, and addresses that run or lead where they must not. */
function* broken(html) {
  if (/<script[^>]*>\s*hostile/.test(html)) yield 'a script';
  for (const [whole, name, attributes] of html.matchAll(tag)) {
    if (/^(iframe|object|embed|base)$/i.test(name)) yield whole;
    for (const [, key, ...values] of attributes.matchAll(attribute)) {
      const value = (values.find((one) => one !== undefined) ?? '').replace(/&#(\d+);/g, (_, code) =>
        String.fromCharCode(code),
      );
      if (/^on|data-hostile/i.test(key)) yield whole;
      if (/^(href|src|action|formaction)$/i.test(key) && leads.test(value)) yield whole;
    }
  }
}

const encode = (path) =>
  Buffer.isBuffer(path)
    ? [...path].map((byte) => (byte === 0x2f ? '/' : `%${byte.toString(16).padStart(2, '0')}`)).join('')
    : path.split('/').map(encodeURIComponent).join('/');

describe('hostile repositories', { timeout: 1_800_000 }, () => {
  let server;
  let made;
  let folder;
  const wrong = [];
  const slow = [];
  let asked = 0;
  let lastPath = '';
  let memoryAtStart = 0;

  /** One request with all that must hold for its answer. */
  async function ask(path, { kind = 'page', expected } = {}) {
    if (server.death) throw new Error(`${server.death} over ${lastPath}\n${server.log.slice(-2000)}`);
    lastPath = path;
    asked++;
    const started = performance.now();
    const label = path.length > 220 ? `${path.slice(0, 200)}…(${path.length})` : path;
    const complain = (what) => wrong.push(`GET ${label}: ${what}`);
    let answer;
    let size = 0;
    const parts = [];
    try {
      answer = await fetch(server.base + path, {
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
        headers: { authorization: `Basic ${Buffer.from('root:password').toString('base64')}` },
      });
      const limit = kind === 'page' ? maxPageBytes : kind === 'json' ? maxJsonBytes : maxFileBytes;
      for await (const chunk of answer.body ?? []) {
        size += chunk.length;
        if (kind !== 'file' || size < 1 << 16) parts.push(chunk);
        if (size > limit) {
          complain(`more than ${limit} bytes`);
          break;
        }
      }
    } catch (error) {
      complain(answer ? `cut off after ${size} bytes: ${error.message}` : String(error));
      return { status: 599, text: '', took: patienceMs };
    }
    const took = Math.round(performance.now() - started);
    if (took > 2000) slow.push(`${took} ms ${label} (${answer.status}, ${size} bytes)`);
    const text = Buffer.concat(parts).toString('utf8');
    const type = answer.headers.get('content-type') ?? '';
    const policy = answer.headers.get('content-security-policy') ?? '';
    if (answer.status >= 500) complain(`${answer.status} ${text.slice(0, 200)}`);
    if (expected && answer.status !== expected)
      complain(`${answer.status} instead of ${expected}: ${text.slice(0, 160)}`);
    if (answer.headers.get('x-content-type-options') !== 'nosniff' && answer.status === 200) complain('no nosniff');
    if (type.startsWith('text/html')) {
      if (kind !== 'page' && answer.status < 400) complain(`HTML where ${kind} was asked for`);
      if (!/script-src/.test(policy) || /script-src[^;]*'unsafe-inline'/.test(policy)) complain(`policy ${policy}`);
      for (const found of broken(text)) complain(`unescaped: ${found.slice(0, 200)}`);
    } else if (kind === 'page' && answer.status === 200) complain(`type ${type}`);
    if (kind === 'json' && answer.status === 200 && !/^application\/json/.test(type)) complain(`type ${type}`);
    if (kind === 'file' && answer.status === 200) {
      if (/html|svg|xml/.test(type) && !/sandbox/.test(policy)) complain(`${type} without a sandbox`);
      if (/html/.test(type)) complain(`sent as ${type}`);
    }
    for (const [name, value] of answer.headers) if (/[\0\r\n]/.test(value)) complain(`header ${name}`);
    return { status: answer.status, headers: answer.headers, text, took, size };
  }
  const fine = (title) => {
    if (report && slow.length) console.log(`${title}, slow:\n  ${slow.join('\n  ')}`);
    if (report) console.log(`${title}: ${asked} requests, ${peakMemory(server.pid)} MB`);
    const found = wrong.splice(0);
    slow.splice(0);
    if (server.death) throw new Error(`${server.death} over ${lastPath}\n${server.log.slice(-2000)}`);
    if (report) console.log(found.join('\n'));
    if (report)
      console.log(
        [
          ...new Set(
            server.log
              .split('\n')
              .filter((line) => /"level":"(warn|error)"/.test(line))
              .map((line) => line.replace(/"(time|request|pid)":"?[^,]*,/g, '').slice(0, 700)),
          ),
        ]
          .slice(-12)
          .join('\n'),
      );
    expect(found.slice(0, 30)).to.equal([]);
    expect(server.log).to.not.match(/heap out of memory|unhandledRejection|uncaughtException/i);
  };
  const repository = '/root/hostile';
  const operations = '/api/v1/repos/root/hostile';

  /** Of two forms of one answer, each in turn: of so many branches and commits, each form meets every kind. */
  const turns = new Map();
  const inTurn = (...forms) => {
    const turn = turns.get(forms.join()) ?? 0;
    turns.set(forms.join(), turn + 1);
    return forms[turn % forms.length];
  };

  /** Every third one, and the others the next times: of so many branches and files, each question meets many kinds. */
  const thirdOf = (...questions) => {
    const turn = turns.get(questions.length) ?? 0;
    turns.set(questions.length, turn + 1);
    return full ? questions : questions.filter((_, at) => (at + turn) % 3 === 0);
  };

  /** Everything that can be asked about one branch. */
  async function visitBranch(branch) {
    const name = encode(branch);
    for (const word of thirdOf('src', 'commits', 'search', 'find', 'graph'))
      await ask(`${repository}/${word}/branch/${name}${word === 'search' ? '?q=hello' : ''}`);
    await ask(`${repository}/tree-list/branch/${name}`, { kind: 'json' });
    await ask(`${repository}/${inTurn('rss', 'atom')}/branch/${name}`, { kind: 'feed' });
    for (const word of ['_new', '_upload']) await ask(`${repository}/${word}/${name}/`);
    const isForward = inTurn('forward', 'back') === 'forward';
    await ask(`${repository}/compare/${isForward ? `main...${name}` : `${name}..main`}`);
    const ref = encodeURIComponent(branch);
    for (const path of thirdOf(
      `/branches/${name}`,
      `/commits?sha=${ref}&limit=50&stat=true&files=true&verification=true`,
      `/commits?sha=${ref}&path=a.txt`,
      `/commits/${name}`,
      `/commits/${name}/status`,
      `/contents?ref=${ref}`,
      `/contents-ext?ref=${ref}&includes=file_content,commit_metadata,commit_message,lfs_metadata`,
      `/git/trees/${name}?recursive=1&per_page=1000`,
      `/git/refs/heads/${name}`,
      `/git/commits/${name}`,
      `/compare/main...${name}`,
      `/file-contents?ref=${ref}&body=${encodeURIComponent('{"files":["README.md","a.txt","..",".git/config"]}')}`,
    ))
      await ask(operations + path, { kind: 'json' });
    await ask(`${operations}/editorconfig/a.txt?ref=${ref}`, { kind: 'json' });
  }

  /** Everything that can be asked about one file or folder. */
  async function visitPath(branch, path) {
    const name = encode(branch);
    const file = encode(path);
    for (const word of thirdOf('src', 'commits', 'blame')) await ask(`${repository}/${word}/branch/${name}/${file}`);
    for (const word of thirdOf('_edit', '_delete')) await ask(`${repository}/${word}/${name}/${file}`);
    for (const word of thirdOf('raw', 'media'))
      await ask(`${repository}/${word}/branch/${name}/${file}`, { kind: 'file' });
    await ask(`${repository}/atom/branch/${name}/${file}`, { kind: 'feed' });
    await ask(`${repository}/src/branch/${name}/${file}?display=source`);
    const ref = encodeURIComponent(branch);
    for (const word of thirdOf('raw', 'media')) await ask(`${operations}/${word}/${file}?ref=${ref}`, { kind: 'file' });
    await ask(`${operations}/contents/${file}?ref=${ref}`, { kind: 'json' });
    await ask(`${operations}/contents-ext/${file}?ref=${ref}&includes=file_content,commit_metadata`, { kind: 'json' });
    if (!Buffer.isBuffer(path))
      await ask(`${operations}/commits?sha=${ref}&path=${encodeURIComponent(path)}`, { kind: 'json' });
  }

  async function visitCommit(oid) {
    await ask(`${repository}/commit/${oid}${inTurn('', '?style=split')}`);
    await ask(`${repository}/src/commit/${oid}`);
    const [ofPage, ofApi] = inTurn('diff', 'patch') === 'diff' ? ['diff', 'patch'] : ['patch', 'diff'];
    await ask(`${repository}/commit/${oid}.${ofPage}`, { kind: 'file' });
    await ask(`${operations}/git/commits/${oid}?stat=true&files=true&verification=true`, { kind: 'json' });
    await ask(`${operations}/git/commits/${oid}.${ofApi}`, { kind: 'file' });
    await ask(`${operations}/git/notes/${oid}`, { kind: 'json' });
    await ask(`${operations}/git/trees/${oid}`, { kind: 'json' });
  }

  const diskOf = async (name) => {
    const { id } = (await server.api('GET', `/repos/root/${name}`)).json;
    const bucket = (id % 1024).toString(16).padStart(3, '0');
    return join(server.env.MORTISE_WORK_DIR, 'repositories', bucket, `${id}.git`);
  };
  /** What changed under the server is seen at once, as after a restart. */
  const noticed = (disk) => writeFileSync(join(disk, 'mortise-refs'), randomBytes(12).toString('hex'));

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-hostile-'));
    made = await makeHostileRepository(
      join(folder, 'hostile.git'),
      full ? {} : { wide: widest, textBytes: 4 << 20, bombBytes: 64 << 20 },
    );
    server = await startServer({
      // what is garbage and what is needed cannot be told by the size of a process; a heap that is short of garbage tells
      settings: {
        MORTISE__other__ENABLE_FEED: 'true',
        NODE_OPTIONS: `--max-old-space-size=${heapLimit} --max-semi-space-size=8`,
      },
    });
    await server.api('POST', '/user/repos', { body: { name: 'hostile', default_branch: 'main' } });
    memoryAtStart = peakMemory(server.pid);
  });
  after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  it('takes or refuses every part of a hostile push, and stays whole', async () => {
    const forced = made.forced.map((name) => `refs/heads/tree/${name}`);
    const refs = [...made.refs.keys()].filter(
      (ref) => !forced.includes(ref) && !/^refs\/(replace|notes\/broken)/.test(ref),
    );
    const plain = refs.filter(
      (ref) => !/^refs\/(heads\/(commit|tree|row|modules|HEAD|-|refs)|tags\/(lies|rubbish|odd))/.test(ref),
    );
    const url = `${server.base}/root/hostile.git`;
    const options = { cwd: join(folder, 'hostile.git'), env: { GIT_NO_REPLACE_OBJECTS: '1' } };
    const whole = await server.git(['push', url, ...plain.map((ref) => `${made.refs.get(ref)}:${ref}`)], options);
    if (report) console.log('push', whole.code, whole.err.slice(-600));
    const odd = refs.filter((ref) => !plain.includes(ref));
    const refused = [];
    for (const ref of odd) {
      const one = await server.git(['push', url, `${made.refs.get(ref)}:${ref}`], options);
      if (one.code !== 0) refused.push(`${ref}: ${one.err.trim().split('\n').join(' | ')}`);
    }
    if (report) console.log(`refused:\n  ${refused.join('\n  ')}`);
    const landed = (await server.git(['ls-remote', url, 'refs/heads/main', 'refs/heads/names', 'refs/heads/wide'])).out;
    expect(refused.some((line) => line.includes('refs/heads/modules') && line.includes('gitmodulesName'))).to.be.true();
    // the rest lies there as an old server, or a disk, may have left it
    const disk = await diskOf('hostile');
    cpSync(join(folder, 'hostile.git', 'objects'), join(disk, 'objects'), { recursive: true, force: false });
    rmSync(join(disk, 'refs'), { recursive: true });
    mkdirSync(join(disk, 'refs', 'heads'), { recursive: true });
    cpSync(join(folder, 'hostile.git', 'packed-refs'), join(disk, 'packed-refs'));
    noticed(disk);
    // git tells what it does not take, though it ends at once then
    const dumb = refused.filter(
      (line) =>
        !/fatal: (empty|bad|entry|missing|null|too-short)|error: object|\((no|the name of a) (branch|tag) can/.test(
          line,
        ) || /error 5\d\d|server failed/.test(line),
    );
    expect(dumb).to.equal([]);
    expect(whole.err).to.not.match(/error 5\d\d|server failed|hung up|RPC failed/);
    expect(landed.trim().split('\n').length).to.be.at.least(3);
    expect((await server.api('GET', '/repos/root/hostile/branches/main')).status).to.equal(200);
  });

  it('answers the pages and lists of the whole repository', async () => {
    for (const path of [
      '',
      '/branches',
      '/tags',
      '/commits/branch/main',
      '/graph',
      '/activity',
      '/activity/contributors',
      '/activity/code-frequency',
      '/activity/recent-commits',
      '/releases',
      '/forks',
      '/stars',
      '/watchers',
      '/settings',
      '/settings/branches',
      '/wiki',
      '/compare',
      '/find/branch/main',
    ])
      await ask(repository + path);
    for (const form of ['rss', 'atom']) await ask(`${repository}.${form}`, { kind: 'feed' });
    for (const path of [
      '',
      '/branches?limit=50',
      '/branches?limit=50&page=2',
      '/branches?limit=50&page=3',
      '/tags?limit=50',
      '/git/refs',
      '/languages',
      '/licenses',
      '/commits',
      '/commits?sha=row&limit=50&stat=true&files=true&verification=true',
      '/activities/feeds',
      '/issue_config',
      '/issue_config/validate',
      '/issue_templates',
      '/releases',
      '/topics',
    ])
      await ask(operations + path, { kind: 'json' });
    for (const ref of ['heads', 'tags', 'weird', 'odd', 'notes', 'replace', 'heads/-x', 'heads/HEAD'])
      await ask(`${operations}/git/refs/${ref}`, { kind: 'json' });
    fine('whole');
  });

  it('answers every branch, whatever its name and its commit are', async () => {
    for (const name of [...branchNames, 'names', 'links', 'modules', 'octopus', 'row', 'main']) await visitBranch(name);
    for (const name of Object.keys(made.commits).filter((one) => one !== 'parent-missing'))
      await visitBranch(`commit/${name}`);
    fine('branches');
  });

  it('answers every odd commit', async () => {
    for (const oid of Object.values(made.commits)) await visitCommit(oid);
    for (const name of ['octopus', 'names', 'deep', 'large', 'modules', 'links', 'row'])
      await visitCommit(made.refs.get(`refs/heads/${name}`));
    fine('commits');
  });

  it('every odd tree is answered by pages and API', async () => {
    for (const [name, oid] of Object.entries(made.trees)) {
      await visitBranch(`tree/${name}`);
      await visitCommit(oid);
    }
    for (const path of [
      '.git/config',
      '.git',
      '.GIT',
      '.gitmodules',
      '.',
      '..',
      '../x',
      '/etc/passwd',
      'a/b',
      'same',
      'padded',
      'socket',
      'wide',
      'gone.txt',
      'gone',
      'here.txt',
      'a-tree-as-file',
      'a-file-as-tree',
      'link-to-tree',
      'cut',
    ])
      for (const name of [
        'git-folder',
        'git-disguised',
        'modules-link',
        'dots',
        'slash',
        'twice',
        'modes',
        'kinds',
        'missing',
        'cut',
      ])
        await ask(`${repository}/src/branch/tree/${name}/${encode(path)}`);
    for (const path of ['here.txt', 'gone.txt', 'gone']) await visitPath('tree/missing', path);
    await visitPath('tree/git-folder', '.git/config');
    await visitPath('tree/kinds', 'a-tree-as-file');
    await visitPath('tree/kinds', 'a-file-as-tree');
    fine('trees');
    expect(
      (await ask(`${repository}/raw/branch/tree/missing/here.txt`, { kind: 'file', expected: 200 })).text,
    ).to.equal('hello\n');
    fine('trees');
  });

  it('answers every odd name of a file', async () => {
    for (const name of oddNames) await visitPath('names', name);
    for (const name of oddNames) await ask(`${repository}/src/branch/names/dir/${encode(name)}`);
    const unread = [];
    for (const name of oddNames) {
      if (name.toString('utf8').includes('\ufffd')) continue;
      const { status } = await ask(`${repository}/raw/branch/names/${encode(name)}`, { kind: 'file' });
      if (status !== 200) unread.push(`${JSON.stringify(name.toString())}: ${status}`);
    }
    fine('names');
    expect(unread).to.equal([]);
  });

  it('follows no link out of the tree, and no loop', async () => {
    for (const path of [
      'passwd',
      'up',
      'loop',
      'one',
      'self',
      'git',
      'odd',
      'long',
      'README.md',
      'dir/out',
      'LICENSE',
      '.editorconfig',
      'self/passwd',
      'loop/x',
      'passwd/x',
    ]) {
      await visitPath('links', path);
      const raw = await ask(`${repository}/raw/branch/links/${path}`, { kind: 'file' });
      expect(raw.text).to.not.contain('root:x:');
    }
    for (const name of ['option', 'script', 'data', 'escape', 'markup', 'ext', 'unknown'])
      await visitPath('modules', `sub/${name}`);
    await visitPath('modules', '.gitmodules');
    fine('links');
  });

  it('answers files of every kind', async () => {
    for (const path of [
      'README.md',
      'image.svg',
      'page.html',
      'book.ipynb',
      'bad.ipynb',
      'table.csv',
      'binary.bin',
      'latin1.txt',
      'invalid.md',
      'utf16.txt',
      '.editorconfig',
      '.gitattributes',
      'LICENSE',
    ])
      await visitPath('main', path);
    fine('files');
  });

  it('answers trees that are deep or wide', async () => {
    await visitBranch('deep');
    for (const depth of [1, 10, 100, 250, 500]) await ask(`${repository}/src/branch/deep/${'d/'.repeat(depth)}`);
    await visitPath('deep', `${'d/'.repeat(500)}end.txt`);
    await visitBranch('wide');
    for (const path of ['wide', 'wide/f000000.txt', `wide/f${String(widest - 1).padStart(6, '0')}.txt`])
      await visitPath('wide', path);
    for (const page of [1, 2, 100])
      await ask(`${operations}/git/trees/wide?recursive=1&page=${page}&per_page=1000`, { kind: 'json' });
    await ask(`${operations}/contents/wide?ref=wide&limit=50`, { kind: 'json' });
    fine('deep and wide');
  });

  it('answers long lines, large texts and bombs', async () => {
    await visitBranch('large');
    for (const path of ['line.txt', 'line.json', 'line.md', 'line.js', 'text.txt', 'text.csv', 'newlines.txt'])
      await visitPath('large', path);
    await visitBranch('bomb');
    for (const path of ['zeros.bin', 'zeros.txt']) await visitPath('bomb', path);
    await ask(`${operations}/git/blobs/${made.zeros}`, { kind: 'json' });
    await visitCommit(made.refs.get('refs/heads/bomb'));
    await ask(`${repository}/search/branch/large?q=brown`);
    await ask(`${repository}/search/branch/large?mode=regex&q=${encodeURIComponent('(a*)*b|(.*)*$')}`);
    await ask(`${repository}/search/branch/large?mode=regex&q=${encodeURIComponent('(x+x+)+y'.repeat(5))}`);
    fine('large');
  });

  it('answers tags of every kind', async () => {
    for (const name of [
      'nested',
      'of-blob',
      'of-tree',
      'annotated-blob',
      'no-tagger',
      'odd',
      'lies',
      'rubbish',
      'main',
    ]) {
      const oid = made.refs.get(`refs/tags/${name}`);
      for (const path of [
        `/tags/${name}`,
        `/git/tags/${oid}`,
        `/git/refs/tags/${name}`,
        `/commits/${name}`,
        `/git/trees/${name}`,
        `/contents?ref=${name}`,
        `/commits?sha=${name}`,
      ])
        await ask(operations + path, { kind: 'json' });
      for (const path of [
        `/src/tag/${name}`,
        `/commits/tag/${name}`,
        `/compare/main...${name}`,
        `/releases/tag/${name}`,
        `/commit/${oid}`,
      ])
        await ask(repository + path);
      await ask(`${repository}/archive/${name}.zip`, { kind: 'file' });
    }
    fine('tags');
  });

  it('packs archives of what must not be unpacked blindly', async () => {
    for (const name of [
      'main',
      'names',
      'links',
      'modules',
      'deep',
      'wide',
      'large',
      'bomb',
      '-x',
      'HEAD',
      '<b-data-hostile>',
      'row',
      ...Object.keys(made.trees).map((one) => `tree/${one}`),
    ])
      for (const form of ['zip', 'tar.gz', 'bundle']) {
        const first = await ask(`${repository}/archive/${encode(name)}.${form}`, { kind: 'file' });
        if (first.status === 202) await ask(`${operations}/archive/${encode(name)}.${form}`, { kind: 'file' });
      }
    fine('archives');
  });

  it('git clones every odd repository', async () => {
    const url = `${server.base}/root/hostile.git`;
    for (const name of ['main', 'names', 'links', 'octopus', 'deep', '-x']) {
      const clone = await server.git([
        'clone',
        '-q',
        '--bare',
        '--single-branch',
        `--branch=${name}`,
        url,
        join(folder, `clone-${name}`),
      ]);
      expect(clone.code, `${name}: ${clone.err}`).to.equal(0);
    }
  });

  it('a corrupt object answers only for itself', async () => {
    await server.api('POST', '/user/repos', { body: { name: 'spoilt', default_branch: 'main' } });
    const work = join(folder, 'spoilt');
    mkdirSync(work);
    git(folder, ['init', '-q', '-b', 'main', work]);
    for (const name of ['good.txt', 'bad.txt', 'README.md', 'sub/in.txt']) {
      mkdirSync(join(work, name, '..'), { recursive: true });
      writeFileSync(join(work, name), `${name}\n`.repeat(20));
    }
    git(work, ['add', '.']);
    git(work, ['commit', '-q', '-m', 'one']);
    const base = git(work, ['rev-parse', 'HEAD']);
    writeFileSync(join(work, 'good.txt'), 'changed\n');
    git(work, ['commit', '-qam', 'two']);
    const pushed = await server.git(['push', '-q', `${server.base}/root/spoilt.git`, 'HEAD:main'], { cwd: work });
    expect(pushed.code, pushed.err).to.equal(0);
    const disk = await diskOf('spoilt');
    // all objects loose, so that single ones can be spoilt
    const packs = join(disk, 'objects', 'pack');
    for (const name of readdirSync(packs).filter((one) => one.endsWith('.pack'))) {
      const pack = readFileSync(join(packs, name));
      for (const one of readdirSync(packs)) rmSync(join(packs, one));
      git(disk, ['unpack-objects', '-q'], pack);
    }
    const loose = (oid) => join(disk, 'objects', oid.slice(0, 2), oid.slice(2));
    const spoil = (oid, how) => {
      execFileSync('chmod', ['u+w', loose(oid)]);
      how(loose(oid));
    };
    const at = (path) => git(work, ['rev-parse', path]);
    spoil(at('HEAD:bad.txt'), (path) => truncateSync(path, 12));
    spoil(at('HEAD:README.md'), (path) => writeFileSync(path, ''));
    spoil(at('HEAD:sub'), (path) => writeFileSync(path, randomBytes(100)));
    // a pack and its index that are rubbish, a commit graph that is, and references that lead nowhere
    writeFileSync(join(packs, `pack-${'1'.repeat(40)}.pack`), randomBytes(2000));
    writeFileSync(join(packs, `pack-${'1'.repeat(40)}.idx`), randomBytes(2000));
    writeFileSync(join(packs, `pack-${'2'.repeat(40)}.idx`), '');
    mkdirSync(join(disk, 'objects', 'info'), { recursive: true });
    rmSync(join(disk, 'objects', 'info', 'commit-graphs'), { recursive: true, force: true });
    writeFileSync(join(disk, 'objects', 'info', 'commit-graph'), randomBytes(500));
    const heads = join(disk, 'refs', 'heads');
    mkdirSync(heads, { recursive: true });
    writeFileSync(join(heads, 'lost'), `${'4'.repeat(40)}\n`);
    writeFileSync(join(heads, 'garbage'), randomBytes(64));
    writeFileSync(join(heads, 'empty'), '');
    writeFileSync(join(heads, 'loop'), 'ref: refs/heads/loop\n');
    writeFileSync(join(heads, 'outside'), 'ref: ../../../../etc/passwd\n');
    writeFileSync(join(heads, 'of-blob'), `${at('HEAD:good.txt')}\n`);
    appendFileSync(join(disk, 'packed-refs'), `${'5'.repeat(40)} refs/heads/packed-lost\n`);
    noticed(disk);

    const spoilt = '/root/spoilt';
    const spoiltApi = '/api/v1/repos/root/spoilt';
    for (const path of [
      '',
      '/src/branch/main',
      '/src/branch/main/good.txt',
      '/branches',
      '/commits/branch/main',
      `/commit/${at('HEAD')}`,
      '/graph',
      '/find/branch/main',
      '/blame/branch/main/good.txt',
      `/compare/${base}...main`,
    ])
      await ask(spoilt + path, { expected: 200 });
    for (const path of [
      '',
      '/branches',
      '/branches/main',
      '/commits',
      '/contents',
      '/contents/good.txt',
      '/git/refs',
      `/git/commits/${at('HEAD')}`,
      '/git/trees/main',
      `/compare/${base}...main`,
    ])
      await ask(spoiltApi + path, { kind: 'json', expected: 200 });
    await ask(`${spoilt}/raw/branch/main/good.txt`, { kind: 'file', expected: 200 });
    for (const path of ['bad.txt', 'README.md', 'sub', 'sub/in.txt']) {
      for (const word of ['src', 'blame', 'commits', '_edit', '_delete']) {
        const place = word.startsWith('_') ? 'main' : 'branch/main';
        await ask(`${spoilt}/${word}/${place}/${path}`);
      }
      for (const word of ['raw', 'media']) await ask(`${spoilt}/${word}/branch/main/${path}`, { kind: 'file' });
      await ask(`${spoiltApi}/contents/${path}`, { kind: 'json' });
      await ask(`${spoiltApi}/contents-ext/${path}?includes=file_content,commit_metadata`, { kind: 'json' });
      await ask(`${spoiltApi}/commits?path=${path}`, { kind: 'json' });
      await ask(`${spoiltApi}/git/blobs/${at(`HEAD:${path}`)}`, { kind: 'json' });
      await ask(`${spoiltApi}/git/trees/${at(`HEAD:${path}`)}`, { kind: 'json' });
    }
    for (const name of ['lost', 'garbage', 'empty', 'loop', 'outside', 'of-blob', 'packed-lost']) {
      for (const path of [
        `/src/branch/${name}`,
        `/commits/branch/${name}`,
        `/compare/main...${name}`,
        `/tree-list/branch/${name}`,
      ])
        await ask(spoilt + path, { kind: path.startsWith('/tree') ? 'json' : 'page' });
      for (const path of [
        `/branches/${name}`,
        `/commits?sha=${name}`,
        `/contents?ref=${name}`,
        `/git/refs/heads/${name}`,
        `/git/trees/${name}`,
      ])
        await ask(spoiltApi + path, { kind: 'json' });
      await ask(`${spoilt}/archive/${name}.zip`, { kind: 'file' });
    }
    for (const path of [
      '/activity',
      '/activity/contributors',
      '/search/branch/main?q=good',
      '/commits/branch/main/good.txt',
      '/tags',
    ])
      await ask(spoilt + path);
    for (const path of [
      '/languages',
      '/licenses',
      '/git/trees/main?recursive=1',
      '/contents-ext?includes=file_content,commit_metadata',
      '/tags',
    ])
      await ask(spoiltApi + path, { kind: 'json' });
    for (const form of ['zip', 'tar.gz', 'bundle']) await ask(`${spoilt}/archive/main.${form}`, { kind: 'file' });
    fine('spoilt');

    // many at once: those who ask for what is whole get it, though the others end the processes that read for them
    const spoilers = Array.from({ length: 60 }, (_, at) =>
      at % 2
        ? ask(`${spoilt}/raw/branch/main/${['bad.txt', 'README.md', 'sub/in.txt'][at % 3]}`, { kind: 'file' })
        : ask(`/root/hostile/raw/commit/${made.main}/${at % 4 ? 'a.txt' : 'binary.bin'}`, {
            kind: 'file',
            expected: 200,
          }),
    );
    const oids = git(disk, ['rev-list', '--objects', base, '--', 'good.txt'])
      .split('\n')
      .map((line) => line.slice(0, 40));
    const wholes = oids.map((oid) => ask(`${spoiltApi}/git/commits/${oid}`, { kind: 'json' }));
    await Promise.all([...spoilers, ...wholes]);
    fine('spoilt at once');

    // a history that ends in nothing
    writeFileSync(
      join(heads, 'torn'),
      `${git(disk, ['hash-object', '-w', '--literally', '-t', 'commit', '--stdin'], `tree ${at('HEAD^{tree}')}\nparent ${'6'.repeat(40)}\nauthor A <a@b.c> 1700000000 +0000\ncommitter A <a@b.c> 1700000000 +0000\n\ntorn\n`)}\n`,
    );
    noticed(disk);
    await server.api('PATCH', '/repos/root/spoilt', { body: { default_branch: 'torn' } });
    for (const path of [
      '',
      '/src/branch/torn',
      '/src/branch/torn/good.txt',
      '/commits/branch/torn',
      '/graph',
      '/activity',
      '/activity/contributors',
      '/activity/code-frequency',
      '/activity/recent-commits',
      '/branches',
      '/blame/branch/torn/good.txt',
      '/compare/main...torn',
      '/search/branch/torn?q=good',
    ])
      await ask(spoilt + path);
    for (const path of [
      '',
      '/commits',
      '/contents',
      '/languages',
      '/branches',
      '/compare/main...torn',
      '/commits?path=good.txt&sha=torn',
    ])
      await ask(spoiltApi + path, { kind: 'json' });
    for (const form of ['rss', 'atom']) await ask(`${spoilt}/${form}/branch/torn`, { kind: 'feed' });
    await server.api('PATCH', '/repos/root/spoilt', { body: { default_branch: 'main' } });
    fine('torn');

    // the other repository does not notice, and what is whole can still be fetched and written
    await ask('/root/hostile', { expected: 200 });
    const written = await server.api('POST', '/repos/root/spoilt/contents/new.txt', {
      body: { content: Buffer.from('new').toString('base64'), branch: 'main' },
    });
    expect(written.status, written.text).to.be.below(500);
    const clone = await server.git(['clone', '-q', `${server.base}/root/spoilt.git`, join(folder, 'clone-spoilt')]);
    expect(clone.code).to.not.equal(0);
    expect(clone.err).to.match(/fatal|error/);
    fine('spoilt');
  });

  it('after all of them the server answers, and has not grown', async () => {
    expect((await server.api('GET', '/version')).status).to.equal(200);
    const megabytes = peakMemory(server.pid);
    if (report) console.log(`from ${memoryAtStart} to ${megabytes} MB after ${asked} requests`);
    expect(megabytes - memoryAtStart).to.be.below(maxGrowth);
  });
});
