/** As much of S3 as one bucket of a test needs, in memory: `node object-store-process.js PORT`. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const objects = new Map<string, Buffer>();
const list = () =>
  `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${[...objects]
    .map(
      ([key, { length }]) =>
        `<Contents><Key>${key}</Key><Size>${length}</Size><LastModified>2024-01-01T00:00:00Z</LastModified></Contents>`,
    )
    .join('')}</ListBucketResult>`;

createServer((request, response) => {
  void (async () => {
    const { pathname } = new URL(request.url ?? '/', 'http://store');
    const [, , ...rest] = pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const content = await buffer(request);
    if (key === '') return response.end(request.method === 'GET' ? list() : '');
    if (request.method === 'PUT') {
      objects.set(key, content);
      return response.setHeader('etag', '"1"').end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return response.writeHead(204).end();
    }
    const found = objects.get(key);
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-length': found.length,
      'last-modified': new Date(0).toUTCString(),
      etag: '"1"',
    });
    return response.end(request.method === 'HEAD' ? undefined : found);
  })();
}).listen(Number(process.argv[2]), '127.0.0.1');
