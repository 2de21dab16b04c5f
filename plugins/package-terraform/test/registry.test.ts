import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { tgz, zip } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What terraform asks of a host, step by step; it does so over https alone. */
describe('the registry of Terraform', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-terraform', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());
  const put = async (path: string, payload: Buffer) => {
    const answer = await host.inject({
      method: 'PUT',
      url: `/api/packages/ada/terraform${path}`,
      payload,
      headers: { authorization: ada.authorization, 'content-type': 'application/octet-stream' },
    });
    expect(answer.statusCode).to.equal(201);
  };
  /** Follows what leads on. */
  const get = async (url: string) => {
    const ask = (at: string) => host.inject({ url: at, headers: { authorization: ada.authorization } });
    const answer = await ask(url);
    return answer.statusCode === 307 ? ask(answer.headers.location as string) : answer;
  };
  const service = async (name: string) =>
    ((await host.inject('/.well-known/terraform.json')).json as Record<string, string>)[name]!;

  it('leads from the host to modules', async () => {
    const archive = tgz({ 'vpc/main.tf': 'variable "a" {}\n' });
    await put('/modules/vpc/aws/1.2.0', archive);
    const modules = await service('modules.v1');
    const versions = await get(`${modules}ada/vpc/aws/versions`);
    expect(versions.json).to.equal({ modules: [{ versions: [{ version: '1.2.0' }] }] });
    const source = await get(`${modules}ada/vpc/aws/1.2.0/download`);
    expect(source.statusCode).to.equal(204);
    const { pathname, searchParams } = new URL(source.headers['x-terraform-get'] as string);
    expect(searchParams.get('archive')).to.equal('tar.gz');
    expect((await get(pathname)).rawPayload.equals(archive)).to.be.true();
    expect((await get(`${modules}ada/vpc/aws/9.0.0/download`)).statusCode).to.equal(404);
    expect((await host.inject(`/api/packages/ada/terraform/modules/vpc/aws/versions`)).statusCode).to.equal(401);
  });

  it('terraform finds the files of a provider, with checksums that are signed', async () => {
    const archive = zip({ 'terraform-provider-hello_v1.0.0': 'x' });
    for (const platform of ['linux/amd64', 'darwin/arm64'])
      await put(`/providers/hello/1.0.0/${platform}?protocols=5.0,6.0`, archive);
    const providers = await service('providers.v1');
    expect((await get(`${providers}ada/hello/versions`)).json.versions).to.equal([
      {
        version: '1.0.0',
        protocols: ['5.0', '6.0'],
        platforms: [
          { os: 'darwin', arch: 'arm64' },
          { os: 'linux', arch: 'amd64' },
        ],
      },
    ]);
    const found = (await get(`${providers}ada/hello/1.0.0/download/linux/amd64`)).json;
    const read = async (field: string) => (await get(new URL(found[field]).pathname)).rawPayload;
    const bytes = await read('download_url');
    expect(createHash('sha256').update(bytes).digest('hex')).to.equal(found.shasum);
    expect((await read('shasums_url')).toString()).to.contain(`${found.shasum}  ${found.filename}\n`);
    expect((await read('shasums_signature_url')).length).to.be.above(100);
    const [key] = found.signing_keys.gpg_public_keys;
    expect(key.ascii_armor).to.contain('BEGIN PGP PUBLIC KEY BLOCK');
    expect(key.key_id).to.match(/^[0-9A-F]{16}$/);
    expect((await get(`${providers}ada/hello/1.0.0/download/plan9/mips`)).statusCode).to.equal(404);
  });
});
