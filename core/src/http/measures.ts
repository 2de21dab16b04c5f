import type { Server } from '@hapi/hapi';
import type { HttpKernel } from './kernel.js';

/** Counts and times requests by route, when metrics are on. */
export function countRequests(kernel: HttpKernel, server: Server): void {
  const { metrics } = kernel.services;
  if (!metrics || !kernel.settings.metrics.ENABLED) return;
  const labels = ['method', 'route', 'status'];
  const count = metrics.counter('mortise_http_requests_total', 'Requests by route and status', labels);
  const time = metrics.histogram('mortise_http_request_seconds', 'Time to answer by route', ['method', 'route']);
  server.events.on('response', (request) => {
    const { method, path: route } = request.route;
    const status = request.raw.res.statusCode;
    count.inc({ method, route, status: String(status) });
    time.observe({ method, route }, (request.info.completed - request.info.received) / 1000);
  });
}
