import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('packages, for administrators', () => {
  let scene: Scene;
  const url = '/-/admin/packages';
  const names = (page: string) =>
    [...page.matchAll(/class="text-bold" href="[^"]*">([^<]+)</g)].map(([, name]) => name);

  before(async () => {
    scene = await startScene({ plugins: ['packages', 'package-generic', 'admin'] });
    for (const [name, version, size] of [
      ['dowel', '1', 10],
      ['dowel', '2', 20],
      ['peg', '1', 5000],
    ] as const) {
      const put = await scene.ada.inject({
        method: 'PUT',
        url: `/api/packages/ada/generic/${name}/${version}/file`,
        headers: { 'content-type': 'application/octet-stream' },
        payload: Buffer.alloc(size, version) as unknown as string,
      });
      expect(put.statusCode).to.equal(201);
    }
  });
  after(() => scene.host.close());

  it('are listed with versions and sizes, sorted and searched', async () => {
    const { root, ada } = scene;
    const all = (await root.inject(url)).payload;
    expect(names(all)).to.equal(['dowel', 'peg']);
    expect(all).to.match(/dowel.*?<td>2<\/td><td[^>]*>30 B/s);
    expect(names((await root.inject(`${url}?sort=size&order=desc`)).payload)).to.equal(['peg', 'dowel']);
    expect(names((await root.inject(`${url}?sort=versions&order=desc`)).payload)).to.equal(['dowel', 'peg']);
    expect(names((await root.inject(`${url}?q=EG`)).payload)).to.equal(['peg']);
    expect((await root.inject(`${url}?type=npm`)).payload).to.include('No matching packages');
    expect(names((await root.inject(`${url}?limit=1&page=2`)).payload)).to.equal(['peg']);
    expect((await root.inject('/-/admin')).payload).to.match(/Packages<\/th><td><a href="\/-\/admin\/packages">2</);
    expect((await ada.inject(url)).statusCode).to.equal(403);
  });

  it('are deleted with all versions, with a message', async () => {
    const { root, ada } = scene;
    const id = /name="id" value="(\d+)"/.exec((await root.inject(`${url}?q=dowel`)).payload)![1]!;
    expect((await submitForm(ada, url, { id })).statusCode).to.equal(403);
    const gone = await submitForm(root, url, { id });
    expect([gone.statusCode, gone.headers.location]).to.equal([303, `${url}?deleted=dowel`]);
    expect((await root.inject(gone.headers.location!)).payload).to.include('dowel has been deleted.');
    expect(names((await root.inject(url)).payload)).to.equal(['peg']);
    for (const none of [id, 'x', ''])
      expect((await submitForm(root, url, { id: none })).statusCode, none).to.equal(422);
  });
});
