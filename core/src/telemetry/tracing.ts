import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { Problem, type Logger, type Outbound, type OutboundRequest } from '@mortise/plugin-sdk';
import type { CallPlugin } from '../contracts.js';
import type { QueryWatch } from '../database/engine.js';
import type { TracingSettings } from './settings.js';

type Attributes = Readonly<Record<string, string | number>>;

/** A span that is open: what is opened inside `run` becomes its child. */
interface OpenSpan {
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  end(failed?: string): void;
}

/**
 * OpenTelemetry traces of one host, sent to a collector by OTLP over HTTP: a span for each request, call into a plugin,
 * statement and outbound request, named and attributed as the semantic conventions of OpenTelemetry say. Nothing global
 * is registered, so that two hosts in one process never meet.
 */
export class Tracing {
  readonly #open = new AsyncLocalStorage<Context>();
  readonly #provider: BasicTracerProvider;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #database: string;

  constructor(options: { settings: Readonly<TracingSettings>; version: string; database: string; log: Logger }) {
    const { settings, version, log } = options;
    const exporter = new OTLPTraceExporter({
      url: `${settings.OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
      headers: headersOf(settings.OTLP_HEADERS),
      // the stop waits for the last ones
      timeoutMillis: 2000,
    });
    const send = exporter.export.bind(exporter);
    let reportedAt = -Infinity;
    exporter.export = (spans, done) =>
      send(spans, (result) => {
        if (result.error && performance.now() - reportedAt > 60_000) {
          reportedAt = performance.now();
          log.warn('could not send traces', { event: 'tracing.send', error: result.error });
        }
        done(result);
      });
    this.#database = options.database;
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': settings.SERVICE_NAME, 'service.version': version }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.SAMPLE_RATIO) }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
  }

  /** Opens a span below the open one, or, of a request, below what its `traceparent` header names. */
  span(name: string, kind: SpanKind, attributes: Attributes, headers?: Readonly<Record<string, unknown>>): OpenSpan {
    const parent = headers
      ? this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      : (this.#open.getStore() ?? ROOT_CONTEXT);
    const span = this.#provider.getTracer('mortise').startSpan(name, { kind, attributes }, parent);
    const inside = trace.setSpan(parent, span);
    return {
      run: (work) => this.#open.run(inside, work),
      set: (more) => span.setAttributes(more),
      end(failed) {
        if (failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failed });
        span.end();
      },
    };
  }

  /** A request: ended by who answers it. */
  request(method: string, route: string, path: string, headers: Readonly<Record<string, unknown>>): OpenSpan {
    return this.span(
      `${method} ${route}`,
      SpanKind.SERVER,
      { 'http.request.method': method, 'http.route': route, 'url.path': path },
      headers,
    );
  }

  /** `call` with a span around; a refusal (a `Problem`) is no failure. */
  calls(call: CallPlugin): CallPlugin {
    return async (owner, what, work) => {
      const span = this.span(`${owner}: ${what}`, SpanKind.INTERNAL, { 'mortise.plugin': owner });
      try {
        const result = await span.run(() => call(owner, what, work));
        span.end();
        return result;
      } catch (error) {
        span.end(Problem.is(error) ? undefined : textOf(error));
        throw error;
      }
    };
  }

  /** Statements inside of something; those of the idle server are left out. */
  readonly queries: QueryWatch = (sql) => {
    if (!this.#open.getStore()) return () => undefined;
    const words = { 'db.system.name': this.#database, 'db.query.text': sql };
    const span = this.span(/^\w+/.exec(sql.trimStart())?.[0] ?? 'query', SpanKind.CLIENT, words);
    return (error) => span.end(error === undefined ? undefined : textOf(error));
  };

  outbound({ fetch, stream, connect, connectHttp }: Outbound): Outbound {
    const traced = async <T>(
      address: string,
      init: OutboundRequest,
      work: (tell: (status: number) => void) => Promise<T>,
    ) => {
      const method = (init.method ?? 'GET').toUpperCase();
      const host = URL.canParse(address) ? new URL(address).host : '';
      const words = { 'http.request.method': method, 'server.address': host };
      const span = this.span(method, SpanKind.CLIENT, words);
      let status = 0;
      try {
        const answer = await span.run(() => work((told) => (status = told)));
        span.set({ 'http.response.status_code': status });
        span.end(status >= 400 ? String(status) : undefined);
        return answer;
      } catch (error) {
        span.end(textOf(error));
        throw error;
      }
    };
    return {
      fetch: (address, init) =>
        traced(address, init, async (tell) => {
          const answer = await fetch(address, init);
          tell(answer.status);
          return answer;
        }),
      stream: (address, init, take) =>
        traced(address, init, (tell) =>
          stream(address, init, (answer) => {
            tell(answer.status);
            return take(answer);
          }),
        ),
      connect,
      connectHttp,
    };
  }

  /** Sends what is left. */
  close(): Promise<void> {
    return this.#provider.shutdown();
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `name=value, name=value`, with values percent-encoded where needed, as the standard's own variable has it. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(.*)/s));
  return Object.fromEntries(
    pairs.filter(([name]) => name).map(([name, value]) => [name!.trim(), decoded(value ?? '')]),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}
