import { createHash } from 'node:crypto';
import { definePlugin, type PluginDefinition } from '../plugin.js';
import { defineEvent, defineJob, defineService } from '../references.js';
import { jobs } from '../services.js';
import { submitForm } from './forms.js';
import { expectThat, type KitUser, type Lab } from './kit.js';
import type { PackageFormatSample } from './package-format-sample.js';
import type { TestHost, TestResponse } from './start-host.js';

/** What the cases of all formats share. */
interface FormatKit {
  readonly host: TestHost;
  readonly owner: KitUser;
  /** Visible to people who are signed in. */
  readonly limited: KitUser;
  readonly stranger: KitUser;
  readonly admin: KitUser;
  /** `created tool 1.0`, in their order. */
  readonly news: readonly string[];
  publish(version: string, of: KitUser, as?: Caller): Promise<TestResponse>;
  download(version: string, of: KitUser, as?: Caller, method?: string): Promise<TestResponse>;
  expectStatus(answer: TestResponse, statuses: readonly number[], what: string): void;
  expectRefused(answer: TestResponse, what: string): void;
  /** What a client finds there; nothing is looked at where the format knows no such thing. */
  expectFound(versions: readonly string[], when: string, of?: KitUser): Promise<void>;
}

export type Caller = Pick<KitUser, 'authorization'>;

interface ActivityEvent {
  readonly activityEvents: readonly {
    readonly kind: string;
    readonly action: string;
    readonly resource: { readonly title: string };
  }[];
}
const activityRecorded = defineEvent<ActivityEvent>('activity-events.recorded');
const cleanUp = defineJob<object>('packages.cleanUp');
const downloads = defineService<{ readonly counts: { flush(): Promise<void> } }>('packages.downloads');

const good = [200, 201, 202, 204];

/** Writes down what hooks and feeds are told of packages. */
export const packageListener = (news: string[]): PluginDefinition =>
  definePlugin({
    name: 'kit-listener',
    version: '1.0.0',
    sdk: '*',
    requires: { 'activity-events': '*' },
    register(door) {
      door.on(activityRecorded, 'after', 'kit-news', {}, async ({ activityEvents }) => {
        for (const { kind, action, resource } of activityEvents)
          if (kind === 'package') news.push(`${action} ${resource.title}`);
      });
    },
  });

/**
 * Rights of tokens and administrators, limited owners, downloads that are counted, what is told, rules, and the end of a
 * package. Begins and ends with the older version of the sample there, and the newer one gone.
 */
export function describeFormatCases({ it }: Lab, sample: PackageFormatSample, kit: () => FormatKit): void {
  const { key, name } = sample;
  const [older, newer] = sample.versions;
  const rest = (of: KitUser, ...path: readonly string[]) =>
    `/api/v1/packages/${[of.name, key, name, ...path].map(encodeURIComponent).join('/')}`;
  const token = async (scope: string): Promise<Caller> => {
    const { host, owner } = kit();
    const made = await host.inject({
      method: 'POST',
      url: `/api/v1/users/${owner.name}/tokens`,
      payload: { name: `kit ${scope}`, scopes: [scope] },
      headers: { authorization: owner.authorization },
    });
    expectThat(made.statusCode === 201, `a token of ${scope}: ${made.statusCode} ${made.payload}`);
    return { authorization: `Bearer ${(made.json as { sha1: string }).sha1}` };
  };

  it('lets tokens do what their scopes say', async () => {
    const { owner, publish, download, expectStatus, expectFound } = kit();
    const [reading, writing, other] = [
      await token('read:package'),
      await token('write:package'),
      await token('read:repository'),
    ];
    for (const refused of [await publish(newer, owner, reading), await download(older, owner, other)]) {
      expectStatus(refused, [401], 'a request that the token does not allow');
      expectThat(
        refused.headers['www-authenticate'],
        'clients must learn from WWW-Authenticate that other credentials would do: a `refusal` of the format sets it, and without one the answer has `Basic`',
      );
    }
    expectStatus(await download(older, owner, reading), [200], 'a download with a token for reading');
    expectStatus(await publish(newer, owner, writing), good, 'a publish with a token for writing');
    await expectFound([older, newer], 'after a publish with a token');
  });

  it('takes no wrong password for nobody, not even on what everybody may read', async () => {
    const { owner, download, expectStatus } = kit();
    const authorization = `Basic ${Buffer.from(`${owner.name}:wrong`).toString('base64')}`;
    expectStatus(await download(older, owner, { authorization }), [401], 'a download with a wrong password');
  });

  it('lets administrators delete and publish', async () => {
    const { host, owner, admin, publish, expectStatus, expectFound } = kit();
    const gone = await host.inject({
      method: 'DELETE',
      url: rest(owner, newer),
      headers: { authorization: admin.authorization },
    });
    expectStatus(gone, [204], 'a deletion by an administrator');
    await expectFound([older], 'after a deletion by an administrator');
    expectStatus(await publish(newer, owner, admin), good, 'a publish by an administrator');
    await expectFound([older, newer], 'after a publish by an administrator');
  });

  it('counts downloads, and no looks at their heads', async () => {
    const { host, owner, download } = kit();
    const count = async () => {
      await host.services.get(downloads).counts.flush();
      const { payload } = await page();
      return Number(/([\d,.]+) downloads?\b/.exec(payload)?.[1] ?? Number.NaN);
    };
    const before = await count();
    for (let n = 0; n < 2; n++) await download(newer, owner, owner, 'HEAD');
    expectThat(
      (await count()) === before,
      'HEAD must not be counted: give `packageStore.download` the request as it is',
    );
    await download(newer, owner, owner);
    expectThat(
      (await count()) === before + 1,
      `a download must be counted, once, but ${before} became ${await count()}: answer with \`packageStore.download\`, and let one file of a version be its lead`,
    );
  });

  const page = () => {
    const { host, owner } = kit();
    const path = [key, name.toLowerCase(), newer.toLowerCase()].map(encodeURIComponent).join('/');
    return host.as(owner).inject({ url: `/${owner.name}/-/packages/${path}`, headers: { accept: 'text/html' } });
  };
  it('says on its page how to install it, in words that can be copied', async () => {
    const { payload } = await page();
    expectThat(
      /data-copy-text="[^"]+"/.test(payload),
      'the page must have instructions that can be copied: put them in a `CopyBlock` in `instructions` of the format',
    );
  });

  it('tells the files of a version with their sizes and sums', async () => {
    const { host, owner } = kit();
    const answer = await host.inject({
      url: `${rest(owner, newer)}/files`,
      headers: { authorization: owner.authorization },
    });
    const files = answer.json as {
      name: string;
      size: number;
      sha256: string;
      sha512: string;
      sha1: string;
      md5: string;
    }[];
    expectThat(
      answer.statusCode === 200 && files.length > 0,
      `the API must list the files of the version, but answered ${answer.statusCode} ${answer.payload.slice(0, 300)}: give them to \`packageStore.publish\``,
    );
    const wanted = await sample.content?.(newer);
    const sum = (algorithm: string) => wanted && createHash(algorithm).update(wanted).digest('hex');
    const file = files.find(({ sha256 }) => !wanted || sha256 === sum('sha256'));
    expectThat(
      file,
      'the file that was published must be among them, under its own sum: keep the bytes that `packageStore.receive` took',
    );
    if (wanted)
      expectThat(
        file.size === wanted.length &&
          file.sha512 === sum('sha512') &&
          file.sha1 === sum('sha1') &&
          file.md5 === sum('md5'),
        'size and sums must be those of the content: keep the bytes that `packageStore.receive` took',
      );
  });

  it('tells hooks of each version once, when it comes and when it goes (HOK-20)', async () => {
    const { host, news, owner, publish } = kit();
    await host.settle();
    const from = news.length;
    await host.inject({
      method: 'DELETE',
      url: rest(owner, newer),
      headers: { authorization: owner.authorization },
    });
    await publish(newer, owner, owner);
    await publish(newer, owner, owner);
    await host.settle();
    const told = news.slice(from);
    expectThat(
      JSON.stringify(told) === JSON.stringify([`deleted ${name}`, `created ${name}`]),
      `hooks must hear of one deletion and one version, but hear ${told.join(', ') || 'nothing'}: the store tells them; announce nothing yourself`,
    );
  });

  it('forgets what a rule of the owner removes, and tells nobody', async () => {
    const { host, news, owner, download, expectStatus, expectRefused, expectFound } = kit();
    await host.settle();
    const from = news.length;
    const url = `/${owner.name}/-/package-rules`;
    const rule = {
      action: 'save',
      type: key,
      keep_count: '0',
      keep_pattern: '',
      remove_days: '0',
      remove_pattern: newer.replace(/[^\w]/g, '\\$&'),
      is_enabled: 'true',
    };
    const client = host.as(owner);
    const saved = await submitForm(client, url, rule);
    expectThat(saved.statusCode === 303, `saving a rule answered ${saved.statusCode}`);
    await host.services.get(jobs).enqueue(cleanUp, {});
    await host.settle();
    await submitForm(client, url, { action: 'delete', type: key });
    await expectFound([older], 'after a rule removed the newer one');
    expectRefused(await download(newer, owner, owner), 'a download of what a rule removed');
    expectStatus(await download(older, owner, owner), [200], 'the download of what no rule removes');
    expectThat(
      news.length === from,
      `what a rule removes is told to nobody, but hooks hear ${news.slice(from).join(', ')}: announce nothing in \`deleted\` and \`changed\``,
    );
  });

  it('shows packages of a limited owner to people who are signed in, and forgets all of them at once', async () => {
    const { host, limited, stranger, publish, download, expectStatus, expectRefused, expectFound } = kit();
    for (const version of sample.versions)
      expectStatus(await publish(version, limited, limited), good, 'a publish of a limited owner');
    expectStatus(await download(older, limited), [401], 'an anonymous download from a limited owner');
    expectStatus(await download(older, limited, stranger), [200], 'a stranger’s download from a limited owner');
    await expectFound(sample.versions, 'after publishing', limited);
    const gone = await host.inject({
      method: 'DELETE',
      url: rest(limited),
      headers: { authorization: limited.authorization },
    });
    expectStatus(gone, [204], 'the deletion of a package');
    await expectFound([], 'after the deletion of the whole package', limited);
    for (const version of sample.versions)
      expectRefused(await download(version, limited, limited), 'a download of what is gone');
  });
}
