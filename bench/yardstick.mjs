// The yardstick: a bare Node HTTP server answering 3 KB of JSON.
import { createServer } from 'node:http';

const body = JSON.stringify({
  items: Array.from({ length: 30 }, (_, id) => ({ id, name: `item ${id}`, text: 'x'.repeat(70) })),
});
createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log(`yardstick: ${Buffer.byteLength(body)} bytes`));
