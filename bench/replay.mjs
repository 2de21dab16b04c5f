// A bare Node HTTP server that says what another server said: the least that any server needs for the same answers.
//
//   node bench/replay.mjs PORT TARGET
import { createServer } from 'node:http';

const [port, target] = process.argv.slice(2);
const known = new Map();

async function ask(request, body) {
  const headers = { ...request.headers };
  for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) delete headers[name];
  const answer = await fetch(target + request.url, {
    method: request.method,
    headers,
    body: body.length ? body : undefined,
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get('content-type') ?? '';
  return { status: answer.status, headers: { 'content-type': type, 'content-length': bytes.length }, bytes };
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const key = `${request.method} ${request.url} ${body}`;
  if (!known.has(key)) known.set(key, await ask(request, body));
  const { status, headers, bytes } = known.get(key);
  response.writeHead(status, headers).end(bytes);
}).listen(Number(port), '127.0.0.1');
