/**
 * The contract of `webhooks`: what a hook is, how another plugin adds a kind of receiver ({@link webhookKinds}).
 * Hooks get all activity events (`@mortise/activity-events/api`).
 */
export { type HookDelivery, type WebhookKind, webhookKinds, webhooks } from './contract/webhooks.js';
export { jsonRequest, payloadRequest } from './services/chat/hook-requests.js';
export { chatMessage, fullLine } from './services/chat/chat-message.js';
export { type ChatMessage } from './services/chat/types.js';
export {
  chatStyles,
  cutLines,
  cutText,
  inertText,
  withoutLinks,
  withoutMentions,
  writeAddress,
  writeCommits,
  writeLine,
  type ChatStyle,
} from './services/chat/formatting.js';
