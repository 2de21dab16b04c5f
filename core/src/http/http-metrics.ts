import type { Lifecycle, Server } from '@hapi/hapi';
import type { Route } from '@mortise/plugin-sdk';
import type { Tracing } from '../telemetry/tracing.js';
import { answeredPath } from './context.js';
import type { HttpKernel } from './kernel.js';

/** Counts and times requests by route, when metrics are on. */
export function recordRequestMetrics(kernel: HttpKernel, server: Server): void {
  const { metrics } = kernel.services;
  if (!metrics || !kernel.settings.metrics.ENABLED) return;
  const labels = ['method', 'route', 'status'];
  const count = metrics.counter('mortise_http_requests_total', 'Requests by route and status', labels);
  const time = metrics.histogram('mortise_http_request_seconds', 'Time to answer by route', ['method', 'route']);
  server.events.on('response', (request) => {
    const { method } = request.route;
    const route = answeredPath(request);
    const status = request.raw.res.statusCode;
    count.inc({ method, route, status: String(status) });
    time.observe({ method, route }, (request.info.completed - request.info.received) / 1000);
  });
}

/** A span for each request of a route, until its last byte is sent. */
export function tracedHandler(tracing: Tracing, route: Route, handler: Lifecycle.Method): Lifecycle.Method {
  return function traced(request, toolkit) {
    const span = tracing.request(route.method, route.path, request.path, request.headers);
    const { res } = request.raw;
    res.once('close', () => {
      span.set({ 'http.response.status_code': res.statusCode });
      if (route.inner) span.set({ 'http.route': answeredPath(request) });
      const cut = !res.writableFinished;
      span.end(cut ? 'cut off' : res.statusCode >= 500 ? String(res.statusCode) : undefined);
    });
    return span.run(() => handler.call(this, request, toolkit));
  };
}
