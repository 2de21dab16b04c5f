import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { DeliveryRow, type ReceivedResponse, type SentRequest } from '../models/delivery.js';
import { splitAddress } from '../services/hook-address.js';
import { mask } from '../services/redaction.js';
import { recordOf } from './hooks.js';

type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function headersOf(value: unknown): Record<string, string> {
  const headers = Object.entries(recordOf(value)).map(([name, text]) => [name, textOf(text)] as const);
  return Object.fromEntries(
    headers.map(([name, text]) => [name, name.toLowerCase() === 'authorization' ? mask : text]),
  );
}

/** Earlier versions, and Gogs, have the address in a column. */
const addressOf = (request: Fields, row: SourceRow): string => textOf(request.url) || row.text('url');

const requestOf = (request: Fields, row: SourceRow): SentRequest => ({
  method: textOf(request.http_method) || row.text('http_method') || 'POST',
  url: splitAddress(addressOf(request, row)).url,
  headers: headersOf(request.headers),
  body: textOf(request.body) || row.text('payload_content'),
});

const responseOf = (response: Fields): ReceivedResponse => ({
  status: Number(response.status) || 0,
  headers: headersOf(response.headers),
  body: textOf(response.body),
  took: 0,
});

const nanosecondsPerMillisecond = 1_000_000;

/** What hooks have sent there. What waits is sent by the server that has it. */
export const deliveries: TableMapping = {
  id: 'webhooks.deliveries',
  table: 'hook_task',
  idTable: DeliveryRow,
  after: ['webhooks.repository_hooks', 'webhooks.account_hooks', 'webhooks.site_hooks'],
  ignored: ['payload_version', 'repo_id', 'type', 'signature', 'content_type', 'is_ssl'],
  map(row) {
    if (!row.flag('is_delivered')) return skippedRow('it has not been sent yet');
    const request = recordOf(row.json('request_content'));
    const response = recordOf(row.json('response_content'));
    const sent = Math.floor(row.number('delivered') / nanosecondsPerMillisecond);
    const eventType = row.text('event_type');
    return targetRow(DeliveryRow, {
      id: row.number('id'),
      hook_id: row.number('hook_id'),
      uuid: row.text('uuid', 36),
      event: (headersOf(request.headers)['X-Gitea-Event'] || eventType).slice(0, 64),
      event_type: eventType.slice(0, 64),
      payload: recordOf(row.json('payload_content')),
      state: row.flag('is_succeed') ? 'succeeded' : 'failed',
      attempts: 1,
      request: addressOf(request, row) === '' ? null : requestOf(request, row),
      response: response.status === undefined ? null : responseOf(response),
      created_at: sent,
      delivered_at: sent,
      lease_until: 0,
      next_attempt_at: 0,
    });
  },
};
