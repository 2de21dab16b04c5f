// For tests that ask a server thousands of things: `fetch` costs the client a millisecond of the processor for each, more
// than the server needs for most of the answers; this a third of it.
import { Agent, request } from 'node:http';

/**
 * Gives `(method, path, { headers, body })` → `{ status, text, json }`, as `api` of `startServer` does, at addresses below
 * `base`; follows nothing. `json` is undefined where the answer is none. `close` ends its connections.
 */
export function lightClient(base, headers = {}) {
  const agent = new Agent({ keepAlive: true });
  const once = (method, path, more, body) =>
    new Promise((resolve, reject) => {
      const asked = request(new URL(base + path), { method, agent, headers: { ...headers, ...more } });
      asked.on('error', (error) => reject(Object.assign(error, { isStale: asked.reusedSocket })));
      asked.on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => (text += chunk));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      });
      asked.end(body);
    });
  const ask = async (method, path, { headers: more = {}, body } = {}) => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const own =
      sent === undefined
        ? more
        : { 'content-type': 'application/json', ...more, 'content-length': Buffer.byteLength(sent) };
    // a connection that was kept may have been closed by the server in this very moment: a new one tells
    const answer = await once(method, path, own, sent).catch((error) => {
      if (error.isStale && error.code === 'ECONNRESET') return once(method, path, own, sent);
      throw error;
    });
    return Object.assign(answer, { json: parsed(answer.text) });
  };
  return Object.assign(ask, { close: () => agent.destroy() });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
