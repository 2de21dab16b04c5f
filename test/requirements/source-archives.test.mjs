// issue 30: archives of the source, as settings of the compatible service say.
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { signUp } from '@mortise/accounts/testing';
import { startHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

describe('issue 30: archives of the source', () => {
  let host;
  afterEach(() => host.close());

  async function start(repository) {
    host = await startHost({ plugins: ['files', 'refs', 'releases'], settings: { repository } });
    const ada = await signUp(host, 'ada');
    const send = async (url, payload) => {
      const { statusCode } = await ada.inject({ method: 'POST', url: `/api/v1${url}`, payload });
      expect(statusCode, url).to.equal(201);
    };
    await send('/user/repos', { name: 'Desk', auto_init: true });
    await send('/repos/ada/Desk/releases', { tag_name: 'v1', name: 'One' });
    await host.settle();
    return ada;
  }
  const linking = async (ada) => {
    const paths = ['', '/branches', '/tags', '/releases'];
    const pages = await Promise.all(paths.map(async (path) => (await ada.inject(`/ada/Desk${path}`)).payload));
    return paths.filter((_, index) => pages[index].includes('/ada/Desk/archive/'));
  };
  /** Name of the first entry of the tar file. */
  const firstName = ({ rawPayload }) => {
    const tar = gunzipSync(rawPayload);
    // a global header of git, with the commit, comes first: two blocks of 512 bytes
    return tar.toString('latin1', 1024, 1124).replaceAll('\0', '');
  };
  const inApi = '/api/v1/repos/ada/Desk/archive/main.tar.gz';
  const onPages = '/ada/Desk/archive/main.tar.gz';

  it('are offered by pages and lie in a folder by default', async () => {
    const ada = await start({});
    expect(await linking(ada)).to.equal(['', '/branches', '/tags', '/releases']);
    for (const url of [inApi, onPages]) expect(firstName(await ada.inject(url)), url).to.equal('desk/');
  });

  it('are not on pages with DISABLE_DOWNLOAD_SOURCE_ARCHIVES, and in no folder without PREFIX_ARCHIVE_FILES', async () => {
    const ada = await start({ DISABLE_DOWNLOAD_SOURCE_ARCHIVES: true, PREFIX_ARCHIVE_FILES: false });
    expect(await linking(ada)).to.equal([]);
    expect((await ada.inject(onPages)).statusCode).to.equal(404);
    expect(firstName(await ada.inject(inApi))).to.equal('README.md');
  });
});
