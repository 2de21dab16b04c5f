import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import { formatPointer } from '../contract/lfs.js';
import { contentOf, LfsBench } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of files whose content lies in LFS or elsewhere', () => {
  let bench: LfsBench;
  before(async () => {
    bench = await LfsBench.start({ plugins: ['lfs', 'refs', 'files', 'auth-basic'] });
  });
  after(() => bench?.host.close());

  /** A repository with these files; `-> x` is a symbolic link. */
  async function repositoryWith(name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const repository = await bench.repository(name, { defaultBranch: 'main' });
    const writer = bench.host.services.get(gitWriter);
    const person = { name: 'A', email: 'a@example.com', time: Date.now(), zone: '+0000' };
    const changes = Object.entries(files).map(([path, content]) =>
      content.startsWith('-> ') ? { path, content: content.slice(3), mode: '120000' as const } : { path, content },
    );
    const tree = await writer.writeTree(repository.id, undefined, changes);
    const commit = { tree, parents: [], author: person, committer: person, message: 'x' };
    const oid = await writer.writeCommit(repository.id, commit);
    await bench.host.services.get(refUpdates).apply({
      repositoryId: repository.id,
      updates: [{ ref: 'refs/heads/main', old: zeroOid, new: oid }],
      pusher: bench.actor(bench.users.ada),
      source: 'internal',
    });
  }
  const page = async (path: string) =>
    (await bench.host.as(bench.actor(bench.users.ada)).inject(`/ada/${path}`)).payload;

  it('U5: shows text, rendered text and a readme that lie in LFS', async () => {
    const content = contentOf('Quokka *words* [x](a.md)\n');
    await repositoryWith('stored', {
      'README.md': formatPointer(content),
      'notes.txt': formatPointer(content),
      'lost.txt': formatPointer(contentOf('never uploaded')),
    });
    await bench.put('stored', content, content.bytes, bench.users.ada);
    expect(await page('stored'))
      .to.include('Quokka <em>words</em>')
      .and.include('/ada/stored/src/branch/main/a.md');
    expect(await page('stored/src/branch/main/README.md')).to.include('Quokka <em>words</em>');
    const text = await page('stored/src/branch/main/notes.txt');
    expect(text).to.include('Quokka *words*').and.not.include('too large to display');
    // blame would show the pointer
    expect(text).to.not.include('/blame/branch/main/notes.txt');
    expect(await page('stored/src/branch/main/lost.txt')).to.include('oid sha256:');
  });

  it('U5: shows a readme that is a symbolic link, however it leads there', async () => {
    await repositoryWith('linked', {
      'README.md': '-> docs/intro.md',
      docs: '-> ./documentation',
      'documentation/intro.md': '-> ../text/index.md',
      'text/index.md': 'Quokka *words* [x](a.md)',
    });
    expect(await page('linked'))
      .to.include('Quokka <em>words</em>')
      .and.include('href="/ada/linked/src/branch/main/text/a.md"')
      .and.include('href="/ada/linked/src/branch/main/README.md"');
  });

  it('U5: passes over readmes that lead nowhere, out of the repository or round in circles', async () => {
    await repositoryWith('astray', {
      'README.md': '-> ../../etc/passwd',
      'README.rst': '-> README.adoc',
      'README.adoc': '-> README.rst',
      'readme.org': '-> /etc/passwd',
      'README.txt': 'plain words',
    });
    expect(await page('astray')).to.include('plain words');
  });
});
