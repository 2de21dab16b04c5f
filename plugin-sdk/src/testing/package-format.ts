import { expectThat, makeUser, type KitUser, type Lab } from './kit.js';
import { describeFormatCases, packageListener, type Caller } from './package-format-cases.js';
import type { FormatRequest, PackageFormatSample } from './package-format-sample.js';
import { startHost, type TestResponse, type TestHost } from './start-host.js';

/** Of processor time: what else the machine does is no matter. */
const maxHostileMs = 20_000;
const maxHostileBytes = 256 * 1024 * 1024;

const leftBehind = 'a refused publish must leave nothing behind: check the package before `packageStore.publish`';
const byDownload = 'answer with `packageStore.download`, which sees to it';

const rubbish: readonly (readonly [string, Buffer])[] = [
  ['words', Buffer.from('this is no package, whatever it is called')],
  ['nothing', Buffer.alloc(0)],
  ['the first bytes of a gzip file', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])],
  ['the first bytes of a zip file', Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0])],
  ['zeros', Buffer.alloc(2048)],
];

/** The cases that every package format passes. Call it at the top of a test file of the format. */
export function describePackageFormat(lab: Lab, sample: PackageFormatSample): void {
  const { describe, it, before, after } = lab;
  const { key, name } = sample;
  const [older, newer] = sample.versions;
  const surroundings = [...(sample.plugins ?? []), 'packages', 'auth-basic', 'auth-token'];

  describe(`the package format ${key} keeps what formats promise`, () => {
    let host: TestHost;
    let owner: KitUser;
    let hidden: KitUser;
    let stranger: KitUser;
    let limited: KitUser;
    let admin: KitUser;
    const news: string[] = [];

    const base = (who: KitUser) => `/api/packages/${who.name}/${key}`;
    const sendTo = (at: TestHost, request: FormatRequest, of: KitUser, as?: Caller): Promise<TestResponse> =>
      at.inject({
        method: request.method as 'GET',
        url: base(of) + request.path,
        headers: { ...request.headers, ...(as && { authorization: as.authorization }) },
        payload: request.payload,
      });
    const send = (request: FormatRequest, of: KitUser, as?: Caller) => sendTo(host, request, of, as);
    /** The answer of another host to a publish. */
    const publishedAt = async (at: TestHost) => {
      const user = await makeUser(at, 'kit-owner');
      return sendTo(at, await sample.publish(older, at.site.url(base(user))), user, user);
    };
    const publish = async (version: string, of: KitUser, as?: Caller) =>
      send(await sample.publish(version, host.site.url(base(of))), of, as);
    const download = async (version: string, of: KitUser, as?: Caller, method = 'GET', headers = {}) => {
      const request = await sample.download(version);
      return send({ ...request, method, headers: { ...request.headers, ...headers } }, of, as);
    };
    const expectStatus = (answer: TestResponse, statuses: readonly number[], what: string) =>
      expectThat(
        statuses.includes(answer.statusCode),
        `${what}: expected ${statuses.join(' or ')}, got ${answer.statusCode} ${answer.payload.slice(0, 300)}`,
      );
    const expectRefused = (answer: TestResponse, what: string) =>
      expectThat(
        answer.statusCode >= 400 && answer.statusCode < 500,
        `${what}: expected a 4xx, got ${answer.statusCode} ${answer.payload.slice(0, 300)}`,
      );
    const listed = async (): Promise<{ name: string; version: string; type: string }[]> => {
      const answer = await host.inject({
        url: `/api/v1/packages/${owner.name}?type=${key}&limit=50`,
        headers: { authorization: owner.authorization },
      });
      expectStatus(answer, [200], 'the list of packages');
      return answer.json as { name: string; version: string; type: string }[];
    };

    before(async () => {
      host = await startHost({
        plugins: [sample.plugin, packageListener(news), ...surroundings],
        validateResponses: true,
      });
      owner = await makeUser(host, 'kit-owner');
      hidden = await makeUser(host, 'kit-hidden', { visibility: 'private' });
      limited = await makeUser(host, 'kit-limited', { visibility: 'limited' });
      stranger = await makeUser(host, 'kit-stranger');
      admin = await makeUser(host, 'kit-admin', { isAdmin: true });
    });
    after(async () => host?.close());

    it('refuses to publish without signing in, and says how to', async () => {
      const answer = await publish(older, owner);
      expectStatus(answer, [401], 'an anonymous publish');
      expectThat(
        answer.headers['www-authenticate'],
        'the 401 must carry WWW-Authenticate: a `refusal` of the format sets it, and without one the answer has `Basic`',
      );
    });

    it('refuses to publish for another owner', async () => {
      expectStatus(await publish(older, owner, stranger), [401, 403, 404], 'a stranger’s publish');
    });

    it('refuses wrong passwords', async () => {
      const wrong = { ...owner, authorization: `Basic ${Buffer.from(`${owner.name}:wrong`).toString('base64')}` };
      expectStatus(await publish(older, owner, wrong), [401], 'a publish with a wrong password');
    });

    it('knows nothing before the first publish', async () => {
      expectRefused(await download(older, owner, owner), 'a download of what is not there');
      expectThat(
        (await listed()).length === 0,
        'nothing may be listed after refused publishes: check all before `packageStore.publish`',
      );
    });

    for (const [index, request] of (sample.broken ?? []).entries()) {
      it(`refuses broken content (${index + 1}: ${request.method} ${request.path})`, async () => {
        expectRefused(await send(request, owner, owner), 'a broken publish');
        expectThat((await listed()).length === 0, leftBehind);
      });
    }

    for (const [what, bytes] of sample.garbage ? rubbish : []) {
      it(`refuses what is no package: ${what}`, async () => {
        expectRefused(await send(sample.garbage!(bytes), owner, owner), what);
        expectThat((await listed()).length === 0, leftBehind);
      });
    }

    if (sample.garbage && sample.content)
      it('refuses what was cut off on its way', async () => {
        const whole = await sample.content!(older);
        const half = whole.subarray(0, Math.floor(whole.length / 2));
        expectRefused(await send(sample.garbage!(half), owner, owner), 'half of a package');
        expectThat((await listed()).length === 0, leftBehind);
      });

    if (sample.hostile)
      it('refuses hostile packages soon and in little memory', async () => {
        for (const [index, request] of (await sample.hostile!()).entries()) {
          const before = process.memoryUsage().rss;
          const began = process.cpuUsage();
          expectRefused(await send(request, owner, owner), `hostile package ${index + 1}`);
          const { user, system } = process.cpuUsage(began);
          const [ms, bytes] = [(user + system) / 1000, process.memoryUsage().rss - before];
          expectThat(
            ms < maxHostileMs,
            `hostile package ${index + 1} took ${Math.round(ms)} ms of processor time, of ${maxHostileMs}: bound what is read of it (\`ArchiveLimits\`)`,
          );
          expectThat(
            bytes < maxHostileBytes,
            `hostile package ${index + 1} took ${Math.round(bytes / 1e6)} MB, of ${maxHostileBytes / 1e6}: read it as a stream, and bound each entry (\`ArchiveLimits\`)`,
          );
        }
        expectThat((await listed()).length === 0, leftBehind);
      });

    it('publishes', async () => {
      expectStatus(await publish(older, owner, owner), [200, 201, 202, 204], 'a publish');
      const versions = await listed();
      expectThat(
        versions.some((one) => one.name === name && one.version === older && one.type === key),
        `the API must list ${name} ${older} of type ${key}, but lists ${JSON.stringify(versions.map((one) => [one.type, one.name, one.version]))}: publish with the type, name and version that the sample has`,
      );
    });

    it(sample.mayRepublish ? 'takes the same version again' : 'refuses the same version again', async () => {
      const again = await publish(older, owner, owner);
      if (sample.mayRepublish) expectStatus(again, [200, 201, 202, 204], 'a second publish');
      else expectRefused(again, 'a second publish of the same version');
      expectThat(
        (await listed()).length === 1,
        'a repeated publish must not add a version: `onVersion` of `packageStore.publish` says what becomes of it',
      );
    });

    it('publishes a newer version beside it, once of many at the same time', async () => {
      const responses = await Promise.all(Array.from({ length: 4 }, () => publish(newer, owner, owner)));
      const taken = responses.filter((answer) => answer.statusCode < 300);
      expectThat(
        sample.mayRepublish ? taken.length > 0 : taken.length === 1,
        `of publishes of one version at the same time one must be taken, but they answered ${responses.map((answer) => answer.statusCode).join(', ')}: leave the check to \`onVersion: '${sample.mayRepublish ? 'replace' : 'conflict'}'\` of \`packageStore.publish\`, in whose transaction it holds`,
      );
      for (const answer of responses) if (!taken.includes(answer)) expectRefused(answer, 'the others');
      expectThat(
        (await listed()).filter((one) => one.name === name).length === 2,
        'both versions must be listed, under the name of the sample',
      );
    });

    it('gives back the same bytes', async () => {
      for (const version of sample.versions) {
        const answer = await download(version, owner, owner);
        expectStatus(answer, [200], `the download of ${version}`);
        const wanted = await sample.content?.(version);
        if (wanted)
          expectThat(
            answer.rawPayload.equals(wanted),
            `the download of ${version} differs from what was published: keep the bytes that \`packageStore.receive\` took, not a package made anew`,
          );
      }
    });

    it('answers HEAD like GET, without a body', async () => {
      const get = await download(newer, owner, owner);
      const head = await download(newer, owner, owner, 'HEAD');
      expectStatus(head, [get.statusCode], 'HEAD');
      expectThat(head.rawPayload.length === 0, `HEAD must have no body: ${byDownload}`);
      expectThat(
        head.headers['content-type'] === get.headers['content-type'],
        `HEAD must have the content type of GET, ${get.headers['content-type']}, but has ${head.headers['content-type']}: ${byDownload}`,
      );
      expectThat(
        Number(head.headers['content-length']) === get.rawPayload.length,
        `HEAD must tell the length ${get.rawPayload.length}, but told ${head.headers['content-length']}: ${byDownload}`,
      );
    });

    it('gives parts, and tells a client that has a copy so', async () => {
      const whole = await download(newer, owner, owner);
      const part = await download(newer, owner, owner, 'GET', { range: 'bytes=1-3' });
      expectStatus(part, [206], 'a part of a file');
      expectThat(
        part.rawPayload.equals(whole.rawPayload.subarray(1, 4)),
        `the part must be the one asked for: ${byDownload}`,
      );
      const { etag } = whole.headers;
      expectThat(etag, `a download must carry an ETag: ${byDownload}`);
      expectStatus(await download(newer, owner, owner, 'GET', { 'if-none-match': String(etag) }), [304], 'a copy');
    });

    const lookUp = async (of: KitUser) => {
      const answer = await send(sample.lookUp!.request, of, of);
      return answer.statusCode === 200 ? [...sample.lookUp!.versions(answer)].sort() : [];
    };
    const expectFound = async (versions: readonly string[], when: string, of = owner) => {
      if (!sample.lookUp) return;
      const answer = await lookUp(of);
      expectThat(
        JSON.stringify(answer) === JSON.stringify([...versions].sort()),
        `${when} the client must find ${versions.join(', ')}, but finds ${answer.join(', ') || 'nothing'}: make the answer from the store as it is asked for, or its files in \`index\` of the format`,
      );
    };
    if (sample.lookUp)
      it('lets clients find what was published, as soon as the publisher is answered', () =>
        expectFound(sample.versions, 'after publishing'));

    it('lets everybody read the packages of a public owner', async () => {
      expectStatus(await download(newer, owner), [200], 'an anonymous download');
      expectStatus(await download(newer, owner, stranger), [200], 'a stranger’s download');
    });

    it('hides the packages of a private owner', async () => {
      expectStatus(await publish(older, hidden, hidden), [200, 201, 202, 204], 'a publish of a private owner');
      expectStatus(await download(older, hidden, hidden), [200], 'the private owner’s own download');
      expectStatus(await download(older, hidden), [401, 403, 404], 'an anonymous download from a private owner');
      expectStatus(
        await download(older, hidden, stranger),
        [401, 403, 404],
        'a stranger’s download from a private owner',
      );
    });

    for (const request of sample.indexes ?? []) {
      it(`answers its index ${request.path}`, async () => {
        expectStatus(await send(request, owner, owner), [200], 'an index');
        expectStatus(
          await send(request, hidden, stranger),
          [401, 403, 404],
          'an index of a private owner, for a stranger',
        );
      });
    }

    it('answers 404 for an owner that is not there', async () => {
      const nobody = { ...owner, name: 'kit-nobody' };
      expectStatus(await download(newer, nobody, owner), [404], 'a download from nobody');
    });

    const odd = [
      '/..%2f..%2fetc%2fpasswd',
      '/%00',
      '/%F0%9F%98%80',
      `/${'a'.repeat(300)}`,
      '/-x/-y/-z',
      '/a//b',
      '/%2e%2e/%2e%2e',
      '/@/@',
    ];
    for (const path of odd) {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
        it(`is not upset by ${method} ${path.slice(0, 30)}`, async () => {
          const answer = await send({ method, path, ...(method !== 'GET' && { payload: 'x' }) }, owner, owner);
          expectThat(
            answer.statusCode < 500,
            `${method} ${path} answered ${answer.statusCode}: check parameters in the handler, and throw BadRequest or NotFound`,
          );
        });
      }
    }

    it('shows the version on its page', async () => {
      const url = `/${owner.name}/-/packages/${key}/${encodeURIComponent(name)}/${encodeURIComponent(newer)}`;
      const answer = await host.as(owner).inject({ url, headers: { accept: 'text/html' } });
      expectStatus(answer, [200], `the page ${url}`);
      expectThat(answer.payload.includes(name), `the page must name the package ${name}`);
    });

    if (sample.many)
      it('takes many versions at the same time', async () => {
        const answers = await Promise.all(sample.many!.map((version) => publish(version, owner, owner)));
        for (const answer of answers) expectStatus(answer, [200, 201, 202, 204], 'one of many publishes');
        await expectFound([...sample.versions, ...sample.many!], 'after many publishes');
        for (const version of sample.many!) {
          const url = `/api/v1/packages/${owner.name}/${key}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
          const { authorization } = owner;
          expectStatus(await host.inject({ method: 'DELETE', url, headers: { authorization } }), [204], 'a deletion');
        }
        await expectFound(sample.versions, 'after their deletion');
      });

    it('forgets a version that the API deletes', async () => {
      const url = `/api/v1/packages/${owner.name}/${key}/${encodeURIComponent(name)}/${encodeURIComponent(newer)}`;
      expectStatus(
        await host.inject({ method: 'DELETE', url, headers: { authorization: owner.authorization } }),
        [204],
        'a deletion',
      );
      await host.settle();
      expectRefused(await download(newer, owner, owner), 'a download of a deleted version');
      expectStatus(await download(older, owner, owner), [200], 'the download of the version that stays');
      await expectFound([older], 'after the deletion');
    });

    const shared = { news, publish, download, expectStatus, expectRefused, expectFound };
    describeFormatCases(lab, sample, () => ({ host, owner, limited, stranger, admin, ...shared }));

    if (sample.remove)
      it('forgets a version that its client deletes', async () => {
        const request = sample.remove!(older);
        expectStatus(await send(request, owner), [401], 'an anonymous deletion');
        expectStatus(await send(request, owner, stranger), [401, 403], 'a stranger’s deletion');
        expectStatus(await send(request, owner, owner), [200, 202, 204], 'a deletion');
        expectRefused(await download(older, owner, owner), 'a download of a deleted version');
        await expectFound([], 'after the last version went');
        expectRefused(await send(request, owner, owner), 'a second deletion');
      });

    it('keeps to the limit of sizes', async () => {
      const limit = `LIMIT_SIZE_${key.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
      const small = await startHost({
        plugins: [sample.plugin, ...surroundings],
        settings: { packages: { [limit]: '1' } },
      });
      try {
        expectStatus(await publishedAt(small), [403], `a publish over ${limit}`);
      } finally {
        await small.close();
      }
    });

    it('takes nothing for an owner whose quota is used up', async () => {
      const full = await startHost({
        plugins: [sample.plugin, 'quota', ...surroundings],
        settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: '0' } },
      });
      try {
        expectStatus(await publishedAt(full), [413], 'a publish of an owner whose quota is used up');
      } finally {
        await full.close();
      }
    });

    it('is gone when the plugin is off', async () => {
      const without = await startHost({ plugins: surroundings });
      try {
        expectStatus(await publishedAt(without), [404, 405], 'a publish with the plugin off');
      } finally {
        await without.close();
      }
    });
  });
}
