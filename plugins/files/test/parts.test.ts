import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { encodePath } from '@mortise/history/api';
import { estimatedSize, withFallback } from '@mortise/plugin-sdk';
import { decodeText, type GitRepository } from '@mortise/git/api';
import { blocksOf } from '../pages/blame.js';
import { definitionFor, fits } from '../services/editorconfig.js';
import { listFiles } from '../services/file-list.js';
import { matches } from '../services/file-search.js';
import renderNotebook from '../services/notebook.js';
import { readModules, sshHostOf, webAddress } from '../services/submodules.js';
import { bounded, hasHiddenDirections } from '../services/text.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('.editorconfig', () => {
  const text =
    'root = true\n[*]\nindent_style = space\nindent_size = 2\ncharset=utf-8\n[*.{go,py}]\nindent_style=tab\n[/docs/**.md]\ntrim_trailing_whitespace = false\n[Makefile]\nindent_style = unset';

  it('fits globs, alternatives, numbers and folders', () => {
    expect(fits('*.{js,ts}', 'src/a.ts')).to.be.true();
    expect(fits('src/*.ts', 'src/deep/a.ts')).to.be.false();
    expect(fits('src/**.ts', 'src/deep/a.ts')).to.be.true();
    expect(fits('file{1..3}.txt', 'file2.txt')).to.be.true();
    expect(fits('[!a-c]?.md', 'xy.md')).to.be.true();
    expect(fits('[!a-c]?.md', 'by.md')).to.be.false();
  });

  it('lets the last section win, and says nothing where none fits', () => {
    expect(definitionFor(text, 'x/a.go')).to.include({ indent_style: 'tab', indent_size: '2', charset: 'utf-8' });
    expect(definitionFor(text, 'docs/x/a.md')).to.include({ trim_trailing_whitespace: false });
    expect(definitionFor(text, 'Makefile')?.indent_style).to.be.undefined();
    expect(definitionFor('[*.x]\na=b', 'a.y')).to.be.undefined();
  });

  it('takes globs made to be slow in its stride', () => {
    // of this process alone: others may have the machine meanwhile
    const begun = process.cpuUsage();
    expect(fits(`${'*a'.repeat(200)}b`, 'a'.repeat(4000))).to.be.false();
    expect(fits('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'x')).to.be.false();
    expect(process.cpuUsage(begun).user / 1000).to.be.below(2000);
  });
});

describe('texts', () => {
  it('the encoding of a text is recognized, and binary is told from text', () => {
    expect(decodeText(Buffer.from('ü')).encoding).to.equal('UTF-8');
    expect(decodeText(Buffer.from([0x63, 0xe9]))).to.equal({ text: 'cé', encoding: 'Windows-1252' });
    expect(decodeText(Buffer.from([0xff, 0xfe, 0x41, 0]))).to.equal({ text: 'A', encoding: 'UTF-16LE' });
    expect(hasHiddenDirections('a\u202eb')).to.be.true();
  });

  it('cuts endless lines and endless files', () => {
    expect(bounded('a\nb\n')).to.equal({ text: 'a\nb\n', lines: 2, isCut: false });
    expect(bounded('x'.repeat(1 << 20)).text.length).to.be.below(6_000);
    expect(bounded('\n'.repeat(100_000))).to.include({ lines: 100_000, isCut: true });
  });

  it('finds files by letters, names before folders', () => {
    const paths = ['src/main/app.ts', 'app/readme.md', 'docs/map.txt'];
    expect(matches(paths, 'app', 10)).to.equal(['src/main/app.ts', 'app/readme.md', 'docs/map.txt'].slice(0, 2));
    expect(matches(paths, 'smats', 10)).to.equal(['src/main/app.ts']);
  });

  it('finds the files of damaged commits too, but for folders that cannot be read', async () => {
    const damage = () => Promise.reject(Object.assign(new Error('too-short tree object'), { name: 'GitFailure' }));
    const file = { type: 'blob', mode: '100644', oid: 'f' };
    const folder = (name: string) => ({ type: 'tree', mode: '040000', name, oid: name });
    const trees: Record<string, object[]> = {
      c: [{ ...file, name: 'a' }, folder('bad'), folder('sub')],
      sub: [{ ...file, name: 'b' }],
    };
    const git = {
      treeRecursive: damage,
      tree: async (oid: string) => trees[oid] ?? damage(),
    } as unknown as GitRepository;
    expect(await listFiles(git, 'c', 10)).to.equal(['a', 'sub/b']);
    expect(await listFiles(git, 'c', 1)).to.equal(['a']);
  });

  it('keeps no answer that would push out all others', () => {
    expect(estimatedSize({ a: 'x'.repeat(1000), b: [1, null] })).to.be.within(1000, 1500);
    expect(estimatedSize(Array.from({ length: 100_000 }, (_, at) => ({ at })))).to.equal(Number.MAX_SAFE_INTEGER);
  });

  it('renders notebooks, also broken ones, without their markup', () => {
    const render = (text: string) =>
      renderNotebook(text, {
        fileName: 'a.ipynb',
        markdown: (source) => `<p>${source}</p>`,
        code: (source, language) => `<i title="${language}">${source}</i>`,
        escape: (source) => source.replaceAll('<', '&lt;'),
      });
    const cells = [
      { cell_type: 'markdown', source: ['# A'] },
      {
        cell_type: 'code',
        execution_count: 3,
        source: '1',
        outputs: [
          { output_type: 'stream', text: ['<x>'] },
          { output_type: 'display_data', data: { 'image/png': 'AAAA' } },
          { output_type: 'display_data', data: { 'image/png': '"><script>', 'text/plain': 'plain' } },
          { output_type: 'error', ename: 'E', evalue: 'v' },
        ],
      },
    ];
    const html = render(JSON.stringify({ cells }));
    expect(html)
      .to.include('<p># A</p>')
      .and.to.include('In [3]')
      .and.to.include('<i title="py">1</i>')
      .and.to.include('&lt;x>')
      .and.to.include('base64,AAAA');
    expect(html).to.include('plain').and.to.include('E: v').and.not.include('<script>');
    for (const broken of ['{', '[]', 'null', '{"cells":{"a":1}}', '{"cells":[1,null]}', '['.repeat(50_000)])
      expect(render(broken)).to.be.a.string();
  });
});

const submoduleContext = {
  repository: 'ada/wheel',
  site: { rootUrl: 'https://code.example:8443/sub', path: (path: string) => `/sub${path}` },
  sshHost: 'ssh.example',
};

describe('small things', () => {
  it('reads submodules, and links only to the web', () => {
    const modules = readModules(
      '[submodule "a"]\n\tpath = deps/a\n\turl = git@host.example:x/y.git\n[submodule "b"]\n path=b\n url = javascript:alert(1)\n',
    );
    expect([...modules]).to.equal([
      ['deps/a', 'git@host.example:x/y.git'],
      ['b', 'javascript:alert(1)'],
    ]);
    const page = (url: string) => webAddress(url, submoduleContext);
    expect(page(modules.get('deps/a')!)).to.equal('https://host.example/x/y');
    expect(page('ssh://git@host.example:22/x/y.git')).to.equal('https://host.example/x/y');
    expect(page('https://user:secret@host.example/x.git')).to.equal('https://host.example/x');
    for (const bad of ['javascript:alert(1)', 'file:///etc/passwd', '-u./x']) expect(page(bad), bad).to.be.undefined();
  });

  it('U6: relative addresses of submodules lead to repositories beside this one', () => {
    for (const [url, expected] of [
      ['../other.git', '/sub/ada/other'],
      ['../other/', '/sub/ada/other'],
      ['./../other', '/sub/ada/other'],
      ['../../ben/tool.git', '/sub/ben/tool'],
      ['../../../ben/tool', undefined],
      ['../../../../x', undefined],
      ['../../a/b/c', undefined],
      ['./inner', undefined],
      ['../..', undefined],
      ['../<x>', undefined],
    ])
      expect(webAddress(url!, submoduleContext), url).to.equal(expected);
  });

  it("U6: addresses of this site's SSH server lead to its pages, with scheme, port and sub-path of ROOT_URL", () => {
    for (const url of [
      'git@code.example:ben/tool.git',
      'git@code.example:/ben/tool.git',
      'ssh://git@code.example:2222/ben/tool.git',
      'ssh://git@Code.Example/ben/tool',
      'git@ssh.example:ben/tool.git',
      'ssh.example:ben/tool.git',
    ])
      expect(webAddress(url, submoduleContext), url).to.equal('/sub/ben/tool');
    expect(webAddress('https://code.example:8443/sub/ben/tool.git', submoduleContext)).to.equal(
      'https://code.example:8443/sub/ben/tool',
    );
    expect(sshHostOf('git@ssh.example:ben/tool.git')).to.equal('ssh.example');
    expect(sshHostOf('ssh://git@ssh.example:2222/ben/tool.git')).to.equal('ssh.example');
    expect(sshHostOf('')).to.be.undefined();
  });

  it('keeps blame in blocks, and waits no longer than told', async () => {
    const line = (number: number, commit: string) => ({ line: number, commit, path: 'a', text: '' });
    expect(blocksOf([line(1, 'x'), line(2, 'x'), line(3, 'y')]).map((block) => block.lines.length)).to.equal([2, 1]);
    expect(await withFallback(new Promise(() => undefined), 'late', 5)).to.equal('late');
    expect(await withFallback(Promise.reject(new Error('no')), 'instead', 500)).to.equal('instead');
    expect(encodePath('a b/#?')).to.equal('a%20b/%23%3F');
  });
});
