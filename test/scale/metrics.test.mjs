// F11: /metrics speaks for all workers, whichever of them answers.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('F11: metrics of two workers', { timeout: 300_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({ workers: 2, settings: { MORTISE__metrics__ENABLED: 'true' } });
  });
  after(() => server?.close());

  const fetchAnew = (path) => fetch(`${server.base}${path}`, { headers: { connection: 'close' } });
  const counted = async () => {
    const text = await (await fetchAnew('/metrics')).text();
    return Number(/^mortise_http_requests_total\{[^}]*"\/api\/livez"[^}]*\} (\d+)$/m.exec(text)?.[1]);
  };

  it('are added up, whoever is asked', async () => {
    for (let n = 0; n < 20; n++) expect((await fetchAnew('/api/livez')).status).to.equal(200);
    for (let n = 0; n < 10; n++) expect(await counted()).to.equal(20);
  });
});
