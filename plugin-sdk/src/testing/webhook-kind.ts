import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PluginDefinition } from '../plugin.js';
import { definePoint, defineService } from '../references.js';
import { definePlugin } from '../plugin.js';
import { expectThat, makeUser, type KitUser, type Lab } from './kit.js';
import { startHost, type TestHost } from './start-host.js';
import { sampleEvents } from './webhook-samples.js';

interface WebhookKindSample {
  readonly plugin: PluginDefinition | string;
  /** Key of the kind. */
  readonly key: string;
  /** Own settings of a hook of this kind (`config` of the API, beside the address). */
  readonly settings?: Readonly<Record<string, string>>;
  /** Values that its schema refuses, one record each. */
  readonly wrongSettings?: readonly Readonly<Record<string, string>>[];
  /** Looks at what the receiver got for an event; throws when it is wrong. */
  check?(received: ReceivedDelivery, event: string): void;
  /** The receiver's address is made from settings: the kit cannot deliver, and only looks at requests. */
  readonly fixedAddress?: boolean;
  /** It writes messages that people read. */
  readonly isChat?: boolean;
  readonly plugins?: readonly (PluginDefinition | string)[];
}

interface ReceivedDelivery {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Kind {
  readonly key: string;
  readonly label: string;
  request(
    delivery: object,
  ): { method?: string; url?: string; headers: Record<string, string>; body: string } | undefined | Promise<never>;
}
const webhooks = defineService<{
  deliver(event: { eventType: string; ownerId: number; payload(): object }): Promise<void>;
}>('webhooks.webhooks');
const webhookKinds = definePoint.keyed<Kind>('webhooks.kinds');

/** The cases that every webhook kind passes. Call it at the top of a test file of the kind. */
export function describeWebhookKind(lab: Lab, sample: WebhookKindSample): void {
  const { describe, it, before, after } = lab;
  const surroundings = [...(sample.plugins ?? []), 'webhooks', 'auth-basic'];

  describe(`the webhook kind ${sample.key} keeps what kinds promise`, () => {
    let host: TestHost;
    let owner: KitUser;
    let kind: Kind;
    let receiver: Server;
    let address: string;
    const received: ReceivedDelivery[] = [];

    const hook = {
      id: 1,
      ownerKind: 'user',
      ownerId: 1,
      kind: sample.key,
      name: '',
      url: 'http://receiver.example/hook',
      method: 'POST',
      contentType: 'json',
      events: ['push'],
      branchFilter: '*',
      active: true,
      hasSecret: true,
      hasAuthorization: false,
      settings: sample.settings ?? {},
      lastStatus: 'none',
      createdAt: 0,
      updatedAt: 0,
    };
    const delivery = (event: string, payload: object) => ({
      id: '0b8e4a6e-3a1f-4f39-8d57-7c4b8a0f9d11',
      event,
      eventType: event,
      payload,
      hook,
      secret: 'kit-secret',
      sentAt: 1_767_323_045_000,
    });
    const api = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
      host.inject({
        method,
        url: `/api/v1/user/hooks${path}`,
        payload,
        headers: { authorization: owner.authorization },
      });
    const create = (config: Record<string, string>) =>
      api('POST', '', {
        type: sample.key,
        active: true,
        events: ['push'],
        config: { url: address, content_type: 'json', ...config },
      });

    before(async () => {
      receiver = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk));
        request.on('end', () => {
          received.push({ method: request.method!, path: request.url!, headers: request.headers, body });
          response.end('ok');
        });
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      // A reader of its own lets the kit look at the kind as `webhooks` does.
      const probe = definePlugin({
        name: 'kit-probe',
        version: '1.0.0',
        sdk: '*',
        register(door) {
          const kinds = door.point(webhookKinds);
          door.onStart({}, async () => {
            kind = kinds.get(sample.key)!;
          });
        },
      });
      host = await startHost({
        plugins: [sample.plugin, probe, ...surroundings],
        // The receiver is this same process: when it stands still, no time-out may end a delivery.
        settings: { webhook: { ALLOWED_HOST_LIST: '*', DELIVER_TIMEOUT: 100 } },
      });
      owner = await makeUser(host, 'kit-owner');
    });
    after(async () => {
      await host?.close();
      receiver?.close();
    });

    it('is there under its key, with a label', async () => {
      expectThat(
        kind,
        `the plugin contributes no kind ${sample.key}: host.contribute(webhookKinds, { key: '${sample.key}', … })`,
      );
      expectThat(kind.label, 'the kind must have a `label`, its name in lists and menus');
    });

    for (const { event, payload } of sampleEvents) {
      it(`makes a sound request of ${event}, or none`, async () => {
        const before = JSON.stringify(payload);
        const request = await kind.request(delivery(event, payload));
        expectThat(
          JSON.stringify(payload) === before,
          'the payload is shared by all hooks: `request` must not change it, but copy what it needs otherwise',
        );
        if (request === undefined) return;
        expectThat(
          typeof request.body === 'string',
          `\`request\` must give \`body\` as a string, but gave ${typeof request.body}: JSON.stringify makes one of an object`,
        );
        for (const [name, value] of Object.entries(request.headers)) {
          expectThat(
            /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name),
            `"${name}" is no name of a header: letters, digits and !#$%&'*+.^_\`|~- may be in one`,
          );
          expectThat(
            typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
            `the header ${name} has a value that cannot be sent, ${JSON.stringify(value)}: make it a string of one line, and encode what is not Latin-1`,
          );
        }
        const type = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
        if (request.body && /json/.test(type)) JSON.parse(request.body);
        expectThat(
          !request.body.includes('kit-secret') && !JSON.stringify(request.headers).includes('kit-secret'),
          'the secret must not be sent: use it for a signature alone',
        );
        const again = await kind.request(delivery(event, payload));
        expectThat(
          JSON.stringify(again) === JSON.stringify(request),
          'the same delivery must give the same request, or a redelivery would differ: take id and time from the delivery, not from the clock or by chance',
        );
      });
    }

    if (sample.isChat)
      it('CHT-03: says of a review that asks for changes that it does', async () => {
        const { payload } = sampleEvents.find(({ event }) => event === 'pull_request_review_rejected')!;
        const request = await kind.request(delivery('pull_request_review_rejected', payload));
        const { title } = (payload as { pull_request: { title: string } }).pull_request;
        const text = request?.body ?? '';
        const at = text.indexOf('Pull request review changes requested');
        expectThat(
          at >= 0 && text.indexOf(title, at) > at,
          `the message must say "Pull request review changes requested" before number and title, but is ${text}`,
        );
      });

    it('is not upset by an event that it does not know', async () => {
      await kind.request(delivery('something_new', { action: 'opened' }));
    });

    if (!sample.fixedAddress) {
      it('is made through the API and delivers', async () => {
        const made = await create({ ...sample.settings });
        expectThat(
          made.statusCode === 201,
          `creating a hook must answer 201, but answered ${made.statusCode} ${made.payload}: \`settings\` of the sample must be what the kind accepts`,
        );
        expectThat(made.json.type === sample.key, `the hook must have the type ${sample.key}, not ${made.json.type}`);
        const payload = sampleEvents[0]!.payload;
        await host.services.get(webhooks).deliver({ eventType: 'push', ownerId: owner.id, payload: () => payload });
        await host.settle();
        const got = received.at(-1);
        expectThat(
          got,
          'the receiver got nothing of a push: `request` must give a request for it, to the address of the hook unless the sample has `fixedAddress`',
        );
        sample.check?.(got, 'push');
      });

      it('is listed and deleted', async () => {
        const list = await api('GET', '');
        const mine = (list.json as { id: number; type: string }[]).find((one) => one.type === sample.key);
        expectThat(mine, `the list of hooks must have one of type ${sample.key}, but has ${list.payload}`);
        expectThat((await api('DELETE', `/${mine.id}`)).statusCode === 204, 'the hook must be deletable');
      });
    }

    for (const [index, wrong] of (sample.wrongSettings ?? []).entries()) {
      it(`refuses wrong settings (${index + 1})`, async () => {
        const answer = await create({ ...sample.settings, ...wrong });
        expectThat(
          answer.statusCode === 422 || answer.statusCode === 400,
          `the settings ${JSON.stringify(wrong)} must be refused with 422, but the answer is ${answer.statusCode} ${answer.payload}: the schema of the kind must refuse them`,
        );
      });
    }

    it('is refused as a type when the plugin is off', async () => {
      const without = await startHost({ plugins: surroundings });
      try {
        const user = await makeUser(without, 'kit-owner');
        const answer = await without.inject({
          method: 'POST',
          url: '/api/v1/user/hooks',
          headers: { authorization: user.authorization },
          payload: {
            type: sample.key,
            config: { url: address, content_type: 'json', ...sample.settings },
            events: ['push'],
          },
        });
        expectThat(
          answer.statusCode >= 400 && answer.statusCode < 500,
          `with the plugin off its type must be refused with a 4xx, but the answer is ${answer.statusCode}: \`plugins\` of the sample must not contain what brings it`,
        );
      } finally {
        await without.close();
      }
    });
  });
}
