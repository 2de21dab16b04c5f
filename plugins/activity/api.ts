/**
 * The public contract of `activity`: what happened, to whom it is told, and how other plugins record what they do.
 * Types, references and points; no behaviour.
 */
export { type AccountActivityAccess, accountActivityAccess, activityComments } from './contract/activity.js';
