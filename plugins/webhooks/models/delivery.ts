import { BaseModel } from '@mortise/plugin-sdk';
import type { HookDescription } from '../contract/webhooks.js';

/** `waiting`: not sent, or to be tried again; `skipped`: the kind has nothing to say about the event. */
export type DeliveryState = 'waiting' | 'succeeded' | 'failed' | 'skipped';

export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface ReceivedResponse {
  /** 0: no answer at all. */
  status: number;
  headers: Record<string, string>;
  body: string;
  error?: string;
  /** Milliseconds. */
  took: number;
}

/** One row of `hook_delivery`: what was to be told, what was sent last and what came back. */
export class DeliveryRow extends BaseModel {
  static override tableName = 'hook_delivery';
  static override json = ['payload', 'description', 'request', 'response'];
  declare id: number;
  declare hook_id: number;
  declare uuid: string;
  declare once_key: string | null;
  declare event: string;
  declare event_type: string;
  declare payload: Record<string, unknown>;
  declare description: HookDescription | null;
  declare state: DeliveryState;
  declare attempts: number;
  declare request: SentRequest | null;
  declare response: ReceivedResponse | null;
  declare created_at: number;
  declare delivered_at: number;
  /** Until then somebody is sending it. */
  declare lease_until: number;
  /** 0: it was not tried, or is not tried again. */
  declare next_attempt_at: number;
  /** Later ones go before it: the receiver did not take it. */
  declare overtaken: boolean;
}
