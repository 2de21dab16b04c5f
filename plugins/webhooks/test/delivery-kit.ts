import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { setDefaultAutoSelectFamilyAttemptTimeout, type AddressInfo } from 'node:net';
import { definePlugin, type PluginDefinition } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { activityEventKinds } from '@mortise/activity-events/api';
import type { Repository } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';
import { payloadRequest } from '../api.js';
import { webhookKinds, webhooks } from '../contract/webhooks.js';

/** Hooks of the kit's repository. */
export const hooksApi = '/api/v1/repos/ada/tool/hooks';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A kind and an event of a plugin that `webhooks` has never heard of. */
const stranger: PluginDefinition = definePlugin({
  name: 'stranger',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0', 'activity-events': '^1.0.0' },
  register(host) {
    host.contribute(activityEventKinds, {
      key: 'greeting',
      label: 'Greeting',
      describe: async ({ resource, actorId }) => ({
        title: `${actorId} greets ${resource.title}`,
        url: 'http://localhost/hello',
        tone: 'positive',
      }),
      payload: async ({ action, data }) => (action === 'whispered' ? undefined : { action, ...data }),
    });
    host.contribute(webhookKinds, {
      key: 'signing',
      label: 'Signing',
      signed: true,
      settings: [{ name: 'signature', label: 'Signature' }],
      request: payloadRequest,
    });
    host.contribute(webhookKinds, { key: 'bare', label: 'Bare', request: () => undefined });
    host.contribute(webhookKinds, {
      key: 'plain',
      label: 'Plain',
      settings: [{ name: 'room', label: 'Room', required: true }],
      request: ({ event, payload, hook }) =>
        event === 'delete'
          ? undefined
          : { headers: { 'x-room': hook.settings.room! }, body: JSON.stringify({ event, payload }) },
    });
  },
});

/** A host, a repository `ada/tool`, and a receiver of deliveries. */
export class DeliveryKit {
  readonly received: Received[] = [];
  /** What the receiver answers next; 200 where nothing is left. */
  answers: { status: number; headers?: Record<string, string>; text?: string }[] = [];

  private constructor(
    readonly host: TestHost,
    readonly ada: SignedIn,
    readonly repository: Repository,
    private readonly receiver: Server,
  ) {
    receiver.on('request', (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        this.received.push({ headers: request.headers, body, path: request.url ?? '' });
        const { status, headers, text = 'thanks' } = this.answers.shift() ?? { status: 200 };
        response.writeHead(status, headers).end(text);
      });
    });
  }

  static async start(): Promise<DeliveryKit> {
    const receiver = createServer();
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    // The receiver is this same process: when it stands still, no time-out may end a delivery, nor an attempt at the
    // first address of `localhost`.
    setDefaultAutoSelectFamilyAttemptTimeout(100_000);
    const host = await startHost({
      plugins: [stranger, 'webhooks', 'forks'],
      settings: {
        security: { ALLOWED_HOST_LIST: '*' },
        webhook: { DELIVER_TIMEOUT: 100 },
        metrics: { ENABLED: true },
      },
    });
    const ada = await signUp(host, 'ada');
    const repository = await createRepository(host, ada.account, { name: 'tool', defaultBranch: 'main' });
    await host.settle();
    return new DeliveryKit(host, ada, repository, receiver);
  }

  async close(): Promise<void> {
    await this.host.close();
    this.receiver.close();
  }

  /** Before each test. */
  reset(): void {
    this.received.length = 0;
    this.answers = [];
  }

  get address(): string {
    return `http://127.0.0.1:${(this.receiver.address() as AddressInfo).port}/in`;
  }

  async make(more: object = {}, config: object = {}) {
    const answer = await this.ada.inject({
      method: 'POST',
      url: hooksApi,
      payload: {
        type: 'plain',
        active: true,
        events: ['push', 'create', 'delete', 'greeting'],
        config: { url: this.address, content_type: 'json', room: 'hall', ...config },
        ...more,
      },
    });
    return { id: answer.json?.id as number, answer };
  }

  drop(id: number) {
    return this.ada.inject({ method: 'DELETE', url: `${hooksApi}/${id}` });
  }

  greet(once?: string) {
    const { id: repositoryId } = this.repository;
    const payload = () => ({ hello: 'there' });
    return this.host.services.get(webhooks).deliver({ eventType: 'greeting', repositoryId, once, payload });
  }

  /** The newest one. */
  delivery() {
    return this.host.database.knex()('hook_delivery').orderBy('id', 'desc').first() as Promise<
      Record<string, string | number>
    >;
  }
}
