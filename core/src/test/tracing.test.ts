import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { database, defineJob, definePlugin, defineRoute, jobs, NotFound, outbound } from '@mortise/plugin-sdk';
import { startHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number; readonly message?: string };
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const work = defineJob<{ value: number }>('traced.work');
const traced = definePlugin({
  name: 'traced',
  version: '1.0.0',
  sdk: '^1.0.0',
  provides: [work],
  register(host) {
    host.job(work, {}, {}, async () => undefined);
    host.routes({ database, jobs, outbound }, (services) => [
      defineRoute({
        method: 'GET',
        path: '/api/v1/traced/{name}',
        access: { actor: 'anyone' },
        async handler({ params, query }) {
          if (params.name === 'nothing') throw NotFound('nothing');
          if (params.name === 'fault') throw new Error('a fault');
          await services.database.knex().raw('select 1 as one');
          await services.database.write(() => services.jobs.enqueue(work, { value: 1 }));
          await services.outbound.fetch(String(query.address), { allowedHosts: '*' });
          return {};
        },
      }),
    ]);
  },
});

describe('traces', () => {
  const received: { headers: Record<string, unknown>; body: Export }[] = [];
  let collector: Server;
  let endpoint: string;

  before(async () => {
    collector = createServer(async (request, response) => {
      const body = await text(request);
      if (request.url === '/v1/traces') received.push({ headers: request.headers, body: JSON.parse(body) as Export });
      response.setHeader('content-type', 'application/json').end('{}');
    });
    await once(collector.listen(0, '127.0.0.1'), 'listening');
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });
  after(() => void collector.close());

  it('tell of requests, calls into plugins, statements, outbound requests and jobs', async () => {
    const tracing = { OTLP_ENDPOINT: endpoint, OTLP_HEADERS: 'authorization=Bearer%20secret, x-team = ada' };
    const host = await startHost({ plugins: [traced], settings: { tracing } });
    const base = await host.url();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const parent = 'b7ad6b7169203331';
    const headers = { traceparent: `00-${traceId}-${parent}-01` };
    const ask = (path: string) => fetch(`${base}/api/v1/traced/${path}`, { headers });
    expect((await ask(`all?address=${encodeURIComponent(`${endpoint}/else`)}`)).status).to.equal(200);
    await host.settle();
    expect((await ask('nothing')).status).to.equal(404);
    expect((await ask('fault')).status).to.equal(500);
    await host.close();

    expect(received[0]!.headers).to.include({ authorization: 'Bearer secret', 'x-team': 'ada' });
    const attribute = (owner: { attributes: readonly Attribute[] }, key: string) => {
      const value = owner.attributes.find((one) => one.key === key)?.value;
      return value?.stringValue ?? value?.intValue;
    };
    const { resource } = received[0]!.body.resourceSpans[0]!;
    expect(attribute(resource, 'service.name')).to.equal('mortise');
    const spans = received.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
    );
    const mine = spans.filter((span) => span.traceId === traceId);
    const requests = mine.filter((span) => span.kind === 2);
    expect(requests.map((span) => span.name)).to.equal(Array(3).fill('GET /api/v1/traced/{name}'));
    expect(requests.map((span) => span.parentSpanId)).to.equal(Array(3).fill(parent));
    expect(requests.map((span) => attribute(span, 'http.response.status_code'))).to.equal([200, 404, 500]);
    expect(requests.map((span) => span.status.code)).to.equal([0, 0, 2]);
    const calls = mine.filter((span) => span.name === 'traced: GET /api/v1/traced/{name}');
    expect(calls.map((span) => span.parentSpanId)).to.equal(requests.map((span) => span.spanId));
    expect(calls.map((span) => span.status.message)).to.equal([undefined, undefined, 'a fault']);
    const within = mine.filter((span) => span.parentSpanId === calls[0]!.spanId);
    expect(within.find((span) => attribute(span, 'db.query.text') === 'select 1 as one')).to.exist();
    expect(within.find((span) => span.name === 'insert')).to.exist();
    expect(within.find((span) => attribute(span, 'server.address') === new URL(endpoint).host)).to.exist();
    expect(spans.some((span) => span.name === 'traced: job traced.work')).to.be.true();
  });

  it('cost nothing but a warning when the collector is away', async () => {
    const host = await startHost({ plugins: [traced], settings: { tracing: { OTLP_ENDPOINT: 'http://127.0.0.1:9' } } });
    expect((await fetch(`${await host.url()}/api/v1/traced/nothing`)).status).to.equal(404);
    await host.close();
  });
});
